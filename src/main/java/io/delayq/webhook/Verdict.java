package io.delayq.webhook;

import io.delayq.job.TopicSettings.Webhook.Success;
import io.delayq.webhook.CallClient.Answer;
import io.vertx.core.json.JsonObject;
import java.time.DateTimeException;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

/**
 * What an attempt came to.
 *
 * @param error null if it was a success
 * @param waitMillis before the next attempt, null: the backoff decides
 * @param hostFailed whether the host is to blame rather than the job
 */
record Verdict(Outcome outcome, String error, Long waitMillis, boolean hostFailed) {
    private static final long LONGEST_WAIT_MILLIS = 3_600_000;
    private static final int OK = 200;
    private static final int REQUEST_TIMEOUT = 408;
    private static final int GONE = 410;
    private static final int TOO_MANY = 429;

    enum Outcome {
        DONE,
        AGAIN,
        DEAD
    }

    static Verdict of(Answer answer, Success rule, long nowMillis) {
        int status = answer.status();
        boolean good = rule == Success.SUCCESS_TRUE ? status == OK && saysSuccess(answer) : status / 100 == 2;
        if (good) {
            return new Verdict(Outcome.DONE, null, null, false);
        }
        if (status == GONE) {
            return new Verdict(Outcome.DEAD, "answered 410: nothing is to come there any more", null, false);
        }
        boolean hostFailed = status >= 500 || status == TOO_MANY || status == REQUEST_TIMEOUT;
        return new Verdict(Outcome.AGAIN, error(status), retryAfter(answer.retryAfter(), nowMillis), hostFailed);
    }

    /** No answer came. */
    static Verdict failed(String error, boolean hostFailed) {
        return new Verdict(Outcome.AGAIN, error, null, hostFailed);
    }

    private static String error(int status) {
        return switch (status / 100) {
            case 2 -> "answered " + status + " without {\"success\":true}";
            case 3 -> "answered " + status + "; redirects are not followed";
            default -> "answered " + status;
        };
    }

    private static boolean saysSuccess(Answer answer) {
        try {
            return Boolean.TRUE.equals(new JsonObject(answer.body()).getValue("success"));
        } catch (RuntimeException e) {
            return false;
        }
    }

    /** Seconds, or a date; at most an hour. Null if it says nothing, or nothing that is still ahead. */
    static Long retryAfter(String header, long nowMillis) {
        if (header == null) {
            return null;
        }
        String text = header.strip();
        long wait = text.matches("[0-9]{1,9}") ? 1_000 * Long.parseLong(text) : untilDate(text, nowMillis);
        return wait <= 0 ? null : (Long) Math.min(wait, LONGEST_WAIT_MILLIS);
    }

    private static long untilDate(String text, long nowMillis) {
        try {
            return ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                            .toInstant()
                            .toEpochMilli()
                    - nowMillis;
        } catch (DateTimeException e) {
            return 0;
        }
    }
}
