package io.delayq.bus;

/** Numbers as they are said and shown. */
final class Numbers {
    private Numbers() {}

    /** With at most two places, and none that is not needed. */
    static String plain(double value) {
        double rounded = Math.round(value * 100) / 100.0;
        return rounded == Math.rint(rounded) ? Long.toString((long) rounded) : Double.toString(rounded);
    }
}
