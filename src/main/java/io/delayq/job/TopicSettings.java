package io.delayq.job;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

/**
 * What a topic's operator set, for all of its jobs that do not say otherwise. Null means: not set, the default counts.
 *
 * @param ttl fixed at push, like {@code priority}; the rest counts as it is when it is needed
 * @param keepDone how long a job that is done is kept, ms
 * @param keepDead how long a dead job is kept, ms
 * @param maxInFlight most jobs reserved at a time, over all servers
 */
public record TopicSettings(
        Long ttr,
        Retry retry,
        Priority priority,
        Long ttl,
        OnExpire onExpire,
        Callback callback,
        Webhook webhook,
        RedisList redisList,
        Long keepDone,
        Long keepDead,
        Integer maxInFlight,
        Integer ratePerSecond) {
    public static final long DEFAULT_KEEP_DEAD = 7 * 86_400_000L;
    public static final TopicSettings NONE =
            new TopicSettings(null, Retry.INHERITED, null, null, null, null, null, null, null, null, null, null);

    /** What becomes of a job whose ttl ends. */
    public enum OnExpire {
        DROP,
        DEAD;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * How callbacks are signed and judged.
     *
     * @param secrets the first signs, so do all others during a rotation; never given back
     * @param success null: not set
     */
    public record Webhook(List<String> secrets, Success success) {
        private static final String PREFIX = "whsec_";

        public Webhook {
            secrets = List.copyOf(secrets);
        }

        /**
         * The key that a secret stands for: what is in base64 behind {@code whsec_}, or else its own text.
         *
         * @throws IllegalArgumentException if it is not base64
         */
        public static byte[] key(String secret) {
            return secret.startsWith(PREFIX)
                    ? Base64.getDecoder().decode(secret.substring(PREFIX.length()))
                    : secret.getBytes(StandardCharsets.UTF_8);
        }

        /** Which answers count as success. */
        public enum Success {
            ANY_2XX("2xx"),
            SUCCESS_TRUE("success-true");

            private final String word;

            Success(String word) {
                this.word = word;
            }

            public String word() {
                return word;
            }
        }
    }

    /** Due jobs go to a Redis list of this key. */
    public record RedisList(String key, Payload payload) {
        public enum Payload {
            ID,
            JOB;

            public String word() {
                return name().toLowerCase(Locale.ROOT);
            }
        }
    }
}
