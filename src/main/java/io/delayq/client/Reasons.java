package io.delayq.client;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Why a job failed, as text that the server takes. */
final class Reasons {
    private static final int MAX_BYTES = 4 * 1024;

    private Reasons() {}

    static String of(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        String message = cause.getMessage();
        return shortened(message == null || message.isBlank() ? cause.getClass().getName() : message);
    }

    /** At most 4 KiB of UTF-8, cut between characters; half a surrogate pair becomes a question mark. */
    static String shortened(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int end = Math.min(bytes.length, MAX_BYTES);
        while (end < bytes.length && (bytes[end] & 0xc0) == 0x80) {
            end--;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }
}
