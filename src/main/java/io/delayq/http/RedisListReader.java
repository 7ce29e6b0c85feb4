package io.delayq.http;

import com.fasterxml.jackson.core.JsonToken;
import io.delayq.job.Names;
import io.delayq.job.TopicSettings.RedisList;
import io.delayq.job.TopicSettings.RedisList.Payload;
import java.util.List;

/** Reads {@code redisList}. */
final class RedisListReader {
    private static final List<String> FIELDS = List.of("key", "payload");
    private static final int MAX_KEY_BYTES = 512;

    private final JsonReader in;
    private String key;
    private boolean keyGiven;
    private Payload payload = Payload.JOB;

    private RedisListReader(JsonReader in) {
        this.in = in;
    }

    /** Null only along with a fault. */
    static RedisList read(JsonReader in) {
        RedisListReader reader = new RedisListReader(in);
        if (in.object(FIELDS, reader::field) && !reader.keyGiven) {
            in.faultAt("key", "expected the key of a Redis list, 1 to 512 bytes");
        }
        return reader.key == null ? null : new RedisList(reader.key, reader.payload);
    }

    private boolean field(String name) {
        switch (name) {
            case "key" -> {
                keyGiven = true;
                key = key();
            }
            case "payload" -> payload = payload();
            default -> {
                return false;
            }
        }
        return true;
    }

    private String key() {
        String text = in.text("the key of a Redis list, text of 1 to 512 bytes");
        if (text == null) {
            return null;
        }
        String fault = text.isEmpty() ? "expected at least one character" : Names.textFault(text, MAX_KEY_BYTES);
        if (fault != null) {
            in.fault(fault);
            return null;
        }
        return text;
    }

    private Payload payload() {
        if (in.token() == JsonToken.VALUE_STRING) {
            for (Payload known : Payload.values()) {
                if (known.word().equals(in.value())) {
                    return known;
                }
            }
        }
        in.expected("id or job");
        return Payload.JOB;
    }
}
