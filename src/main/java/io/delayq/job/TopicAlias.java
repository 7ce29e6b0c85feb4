package io.delayq.job;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Topics of clients that may call theirs anything: a name outside our characters is kept as {@code x:} and the hex of its
 * UTF-8, and so is one that begins with {@code x:} itself, so that no two have the same.
 */
public final class TopicAlias {
    private static final String PREFIX = "x:";

    private TopicAlias() {}

    /** What to keep it as; longer than {@link Names#MAX_TOPIC} if it cannot be kept. */
    public static String of(String foreign) {
        return Names.topicFault(foreign) == null && !foreign.startsWith(PREFIX)
                ? foreign
                : PREFIX + HexFormat.of().formatHex(foreign.getBytes(StandardCharsets.UTF_8));
    }

    /** What its clients call it. */
    public static String shown(String topic) {
        if (!topic.startsWith(PREFIX)) {
            return topic;
        }
        try {
            byte[] bytes = HexFormat.of().parseHex(topic.substring(PREFIX.length()));
            String foreign = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return !foreign.isEmpty() && of(foreign).equals(topic) ? foreign : topic;
        } catch (IllegalArgumentException | CharacterCodingException e) {
            return topic;
        }
    }
}
