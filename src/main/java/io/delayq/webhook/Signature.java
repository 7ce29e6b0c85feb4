package io.delayq.webhook;

import io.delayq.job.TopicSettings.Webhook;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs callbacks as Standard Webhooks has it: HMAC-SHA256 over id, time and body, once with each secret. */
final class Signature {
    private static final String ALGORITHM = "HmacSHA256";

    private Signature() {}

    /** What {@code webhook-signature} says. */
    static String of(List<String> secrets, String id, long seconds, Buffer body) {
        return secrets.stream().map(secret -> one(secret, id, seconds, body)).collect(Collectors.joining(" "));
    }

    private static String one(String secret, String id, long seconds, Buffer body) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(Webhook.key(secret), ALGORITHM));
            mac.update((id + '.' + seconds + '.').getBytes(StandardCharsets.UTF_8));
            return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body.getBytes()));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
