package io.delayq.webhook;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vertx.core.buffer.Buffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class SignatureTest {
    /** The example that the libraries of Standard Webhooks are tested with. */
    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    private static final String ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
    private static final Buffer BODY = Buffer.buffer("{\"test\": 2432232314}");
    private static final String SIGNED = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    @Test
    void signs_as_standard_webhooks_does() {
        assertEquals(SIGNED, Signature.of(List.of(SECRET), ID, 1_614_265_330, BODY));
    }

    @Test
    void signs_with_both_secrets_during_a_rotation() {
        // openssl dgst -sha256 -hmac "a plain text secret" -binary | base64
        String other = "v1,YO5NE3e13nuCfO2s0bsiH7ck6dONjrVwpKCNAruzsrg=";
        assertEquals(
                SIGNED + " " + other, Signature.of(List.of(SECRET, "a plain text secret"), ID, 1_614_265_330, BODY));
    }
}
