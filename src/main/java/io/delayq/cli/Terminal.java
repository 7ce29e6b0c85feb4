package io.delayq.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** The terminal's size and mode, asked of and set by {@code stty}; without a terminal everything is as usual. */
final class Terminal {
    private static final int USUAL_WIDTH = 80;
    private static final int USUAL_HEIGHT = 24;
    private static final int LEAST = 40;

    private Terminal() {}

    /** Output that is piped is not cut. */
    static int width(Context context) {
        return context.terminal() ? Math.max(LEAST, size(1, USUAL_WIDTH)) : Integer.MAX_VALUE / 2;
    }

    static int height(Context context) {
        return context.terminal() ? Math.max(5, size(0, USUAL_HEIGHT)) : USUAL_HEIGHT;
    }

    private static int size(int which, int usual) {
        String[] size = stty("size").split(" ");
        try {
            int found = size.length == 2 ? Integer.parseInt(size[which]) : 0;
            return found > 0 ? found : usual;
        } catch (NumberFormatException e) {
            return usual;
        }
    }

    /** Keys are read as they are pressed, until what it returns is run. */
    static Runnable readKeys() {
        String before = stty("-g");
        if (before.isEmpty()) {
            return () -> {};
        }
        stty("-icanon -echo min 1");
        return () -> stty(before);
    }

    private static String stty(String words) {
        try {
            Process stty = new ProcessBuilder("sh", "-c", "stty " + words + " </dev/tty 2>/dev/null").start();
            String said = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return stty.waitFor(1, TimeUnit.SECONDS) && stty.exitValue() == 0 ? said : "";
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
