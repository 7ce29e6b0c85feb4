package io.delayq.redis;

import java.nio.charset.StandardCharsets;

/** Script arguments as bytes. */
final class Bytes {
    private Bytes() {}

    static byte[] of(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] of(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }
}
