package io.delayq.http;

import com.fasterxml.jackson.core.JsonToken;
import io.delayq.job.TopicSettings.Webhook;
import io.delayq.job.TopicSettings.Webhook.Success;
import java.util.ArrayList;
import java.util.List;

/** Reads {@code webhook}. Its faults quote nothing that was found: it may be a secret in the wrong place. */
final class WebhookReader {
    private static final List<String> FIELDS = List.of("secrets", "success");
    private static final String SECRETS = "expected a list of 1 or 2 texts of 16 to 256 characters";
    private static final int MAX_SECRETS = 2;
    private static final int MIN_LENGTH = 16;
    private static final int MAX_LENGTH = 256;

    private final JsonReader in;
    private final List<String> secrets = new ArrayList<>();
    private Success success;

    private WebhookReader(JsonReader in) {
        this.in = in;
    }

    /** Null if nothing is set, or along with a fault. */
    static Webhook read(JsonReader in) {
        if (in.token() != JsonToken.START_OBJECT) {
            in.fault("expected an object with secrets, success");
            in.skip();
            return null;
        }
        WebhookReader reader = new WebhookReader(in);
        in.object(FIELDS, reader::field);
        return reader.secrets.isEmpty() && reader.success == null ? null : new Webhook(reader.secrets, reader.success);
    }

    private boolean field(String name) {
        switch (name) {
            case "secrets" -> secrets();
            case "success" -> success = success();
            default -> {
                return false;
            }
        }
        return true;
    }

    private void secrets() {
        if (in.token() != JsonToken.START_ARRAY) {
            in.fault(SECRETS);
            in.skip();
            return;
        }
        int count = 0;
        while (in.next() != JsonToken.END_ARRAY) {
            if (++count <= MAX_SECRETS) {
                secret();
            } else {
                in.skip();
            }
        }
        if (count == 0 || count > MAX_SECRETS) {
            in.fault(SECRETS + ", found " + count);
        }
    }

    private void secret() {
        if (in.token() != JsonToken.VALUE_STRING) {
            in.fault("expected text of 16 to 256 characters");
            in.skip();
            return;
        }
        String secret = in.value();
        int length = secret.codePointCount(0, secret.length());
        if (length < MIN_LENGTH || length > MAX_LENGTH) {
            in.fault("expected text of 16 to 256 characters, found " + length);
        } else if (secret.codePoints().anyMatch(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)) {
            in.fault("expected valid Unicode, without half a surrogate pair");
        } else if (!hasKey(secret)) {
            in.fault("expected base64 behind whsec_, or text that does not begin so");
        } else {
            secrets.add(secret);
        }
    }

    private static boolean hasKey(String secret) {
        try {
            return Webhook.key(secret).length > 0;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private Success success() {
        if (in.token() == JsonToken.VALUE_STRING) {
            for (Success known : Success.values()) {
                if (known.word().equals(in.value())) {
                    return known;
                }
            }
        }
        in.fault("expected 2xx or success-true");
        in.skip();
        return null;
    }
}
