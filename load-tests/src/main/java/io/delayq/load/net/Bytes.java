package io.delayq.load.net;

import java.nio.charset.StandardCharsets;

/** What is done with bytes in place, so that no request and no answer needs an object. */
public final class Bytes {
    private static final byte[] DIGITS = ascii("0123456789abcdefghijklmnopqrstuvwxyz");

    private Bytes() {}

    public static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    public static String text(byte[] bytes, int from, int to) {
        return new String(bytes, from, Math.max(0, to - from), StandardCharsets.ISO_8859_1);
    }

    /** At the right of {@code width} places, with {@code fill} before it. */
    static void number(byte[] target, int at, int width, long value, int radix, byte fill) {
        int place = at + width - 1;
        do {
            target[place--] = DIGITS[(int) (value % radix)];
            value /= radix;
        } while (value > 0 && place >= at);
        if (value > 0) {
            throw new IllegalArgumentException("the number does not fit into " + width + " places");
        }
        while (place >= at) {
            target[place--] = fill;
        }
    }

    static int number(byte[] source, int from, int to, int radix) {
        int value = 0;
        for (int i = from; i < to; i++) {
            int digit = Character.digit(source[i], radix);
            if (digit < 0) {
                throw new IllegalArgumentException("no number: " + text(source, from, to));
            }
            value = value * radix + digit;
        }
        return value;
    }

    /** Digits from {@code from} on, up to the first byte that is none. */
    static int leadingNumber(byte[] source, int from, int to) {
        int end = from;
        while (end < to && source[end] >= '0' && source[end] <= '9') {
            end++;
        }
        return number(source, from, end, 10);
    }

    static int find(byte[] source, int from, int to, byte[] what) {
        int last = to - what.length;
        byte first = what[0];
        outer:
        for (int i = from; i <= last; i++) {
            if (source[i] != first) {
                continue;
            }
            for (int k = 1; k < what.length; k++) {
                if (source[i + k] != what[k]) {
                    continue outer;
                }
            }
            return i;
        }
        return -1;
    }

    static int find(byte[] source, int from, int to, byte what) {
        for (int i = from; i < to; i++) {
            if (source[i] == what) {
                return i;
            }
        }
        return -1;
    }

    static boolean starts(byte[] source, int from, int to, byte[] what) {
        if (to - from < what.length) {
            return false;
        }
        for (int k = 0; k < what.length; k++) {
            if (source[from + k] != what[k]) {
                return false;
            }
        }
        return true;
    }
}
