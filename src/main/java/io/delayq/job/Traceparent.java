package io.delayq.job;

/** The W3C trace context header. A malformed one is dropped, as the recommendation asks, never refused. */
public final class Traceparent {
    private static final int VERSION_0_LENGTH = 55;
    private static final int LONGEST = 256;

    private Traceparent() {}

    public static String validOrNull(String header) {
        if (header == null || header.length() < VERSION_0_LENGTH || header.length() > LONGEST) {
            return null;
        }
        boolean parts = isHex(header, 0, 2)
                && header.charAt(2) == '-'
                && isHex(header, 3, 35)
                && header.charAt(35) == '-'
                && isHex(header, 36, 52)
                && header.charAt(52) == '-'
                && isHex(header, 53, 55);
        if (!parts || header.startsWith("ff") || isZero(header, 3, 35) || isZero(header, 36, 52)) {
            return null;
        }
        return header.length() == VERSION_0_LENGTH || isLaterVersion(header) ? header : null;
    }

    private static boolean isLaterVersion(String header) {
        return !header.startsWith("00")
                && header.charAt(VERSION_0_LENGTH) == '-'
                && header.chars().allMatch(c -> c > 0x20 && c < 0x7f);
    }

    private static boolean isHex(String text, int from, int to) {
        for (int i = from; i < to; i++) {
            char c = text.charAt(i);
            if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
                return false;
            }
        }
        return true;
    }

    private static boolean isZero(String text, int from, int to) {
        for (int i = from; i < to; i++) {
            if (text.charAt(i) != '0') {
                return false;
            }
        }
        return true;
    }
}
