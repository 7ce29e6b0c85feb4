package io.delayq.load;

import java.util.function.IntConsumer;

/** A bar on a terminal, a line a step elsewhere. Written to standard error, so that the table can go into a file. */
public final class Progress {
    private static final long REDRAW_NANOS = 100_000_000;
    private static final int WIDTH = 30;

    private final boolean terminal = System.getenv("LOAD_TESTS_TERMINAL") != null;
    private int steps;
    private int done;
    private long drawn;

    public void expect(int more) {
        steps += more;
    }

    /** @param most what the step counts up to */
    public IntConsumer step(String label, int most) {
        if (!terminal) {
            System.err.println("[" + (done + 1) + "/" + steps + "] " + label);
        }
        draw(label, 0);
        return count -> {
            long now = System.nanoTime();
            if (terminal && now - drawn > REDRAW_NANOS) {
                drawn = now;
                draw(label, Math.min(1, (double) count / Math.max(1, most)));
            }
        };
    }

    public void stepDone() {
        done++;
        if (terminal) {
            draw("", 0);
        }
    }

    public void end() {
        if (terminal) {
            System.err.print("\r\033[K");
        }
    }

    private void draw(String label, double part) {
        if (!terminal) {
            return;
        }
        double all = steps == 0 ? 0 : Math.min(1, (done + part) / steps);
        int full = (int) (all * WIDTH);
        System.err.printf("\r[%s%s] %3.0f%%  %s\033[K", "#".repeat(full), ".".repeat(WIDTH - full), 100 * all, label);
    }
}
