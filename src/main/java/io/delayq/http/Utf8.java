package io.delayq.http;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Tells UTF-8 from what merely looks like it: no overlong forms, no surrogates, nothing above U+10FFFF. */
final class Utf8 {
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long HIGH_BITS = 0x8080808080808080L;

    private Utf8() {}

    /** Where the first malformed character between {@code from} and {@code to} begins, or -1. */
    static int malformedAt(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to) {
            if (bytes[at] >= 0) {
                at = skipAscii(bytes, at, to);
                continue;
            }
            int length = lengthAt(bytes, at, to);
            if (length == 0) {
                return at;
            }
            at += length;
        }
        return -1;
    }

    private static int skipAscii(byte[] bytes, int from, int to) {
        int at = from;
        while (at + Long.BYTES <= to && ((long) LONGS.get(bytes, at) & HIGH_BITS) == 0) {
            at += Long.BYTES;
        }
        while (at < to && bytes[at] >= 0) {
            at++;
        }
        return at;
    }

    /** Bytes of the character that is not ASCII and begins here, 0 if it is malformed. */
    private static int lengthAt(byte[] bytes, int at, int to) {
        int lead = bytes[at] & 0xff;
        int length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
        if (length == 0 || at + length > to) {
            return 0;
        }
        for (int i = 1; i < length; i++) {
            if ((bytes[at + i] & 0xc0) != 0x80) {
                return 0;
            }
        }
        int second = bytes[at + 1] & 0xff;
        boolean overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
        boolean noCharacter = (lead == 0xed && second > 0x9f) || (lead == 0xf4 && second > 0x8f);
        return overlong || noCharacter ? 0 : length;
    }
}
