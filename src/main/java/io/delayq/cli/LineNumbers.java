package io.delayq.cli;

import java.util.ArrayDeque;

/**
 * Tells on which line of the input a job stands. The server counts jobs, and skips blank lines. Rows come back in order, so
 * no more is kept than what is under way. Safe for one thread that reads and one that asks.
 */
final class LineNumbers {
    /** From which job on so many blank lines have gone before. */
    private record Shift(long job, long blank) {}

    private final ArrayDeque<Shift> shifts = new ArrayDeque<>();
    private long jobs;
    private long blank;
    private long asked;
    private boolean text;

    /** The next bytes of the input. */
    synchronized void read(byte[] bytes, int length) {
        for (int i = 0; i < length; i++) {
            byte c = bytes[i];
            if (c == '\n') {
                if (!text) {
                    blank++;
                }
                text = false;
            } else if (!text && c != ' ' && c != '\t' && c != '\r') {
                text = true;
                if (shifts.isEmpty() ? blank > asked : shifts.peekLast().blank != blank) {
                    shifts.add(new Shift(jobs, blank));
                }
                jobs++;
            }
        }
    }

    synchronized long jobs() {
        return jobs;
    }

    /** The line of a job, both counted from 1 and 0; jobs must be asked for in order. */
    synchronized long of(long job) {
        while (!shifts.isEmpty() && shifts.peek().job <= job) {
            asked = shifts.poll().blank;
        }
        return job + asked + 1;
    }
}
