package io.delayq.http;

import java.util.Arrays;

/**
 * Cuts a stream of bytes into lines, wherever its chunks end. Blank lines are left out. Of a line that is too long nothing
 * but its length is kept, so that it costs no memory.
 */
public final class Lines {
    private static final int USUAL = 1024;
    private static final int KEPT_FOR_THE_NEXT = 64 * 1024;

    private final int limit;
    private byte[] chunk = new byte[0];
    private int at;
    private byte[] part = new byte[USUAL];
    private int kept;
    private long length;
    private boolean ended;

    /**
     * @param text without its end; null if it is too long
     * @param length in bytes
     */
    public record Line(byte[] text, long length) {}

    /** @param limit most bytes of a line, its end not counted */
    public Lines(int limit) {
        this.limit = limit;
    }

    /** The next bytes; only after {@link #next} has said that there is no further line. */
    public void add(byte[] bytes) {
        if (at < chunk.length) {
            throw new IllegalStateException("the chunk before was not read to its end");
        }
        chunk = bytes;
        at = 0;
    }

    /** No more bytes follow: what is left is a line, too. */
    public void end() {
        ended = true;
    }

    /** Null: there is none without further bytes. */
    public Line next() {
        while (at < chunk.length) {
            int newline = at;
            while (newline < chunk.length && chunk[newline] != '\n') {
                newline++;
            }
            keep(newline);
            if (newline == chunk.length) {
                at = newline;
                break;
            }
            at = newline + 1;
            Line line = finished();
            if (line != null) {
                return line;
            }
        }
        return ended ? finished() : null;
    }

    private void keep(int to) {
        length += to - at;
        // one more than a line may have: it may be the first half of its end
        int more = Math.min(to - at, limit + 1 - kept);
        if (more <= 0) {
            return;
        }
        if (kept + more > part.length) {
            part = Arrays.copyOf(part, Math.min(limit + 1, Math.max(kept + more, 2 * part.length)));
        }
        System.arraycopy(chunk, at, part, kept, more);
        kept += more;
    }

    private Line finished() {
        if (kept > 0 && kept == length && part[kept - 1] == '\r') {
            kept--;
            length--;
        }
        Line line = length > limit
                ? new Line(null, length)
                : isBlank() ? null : new Line(Arrays.copyOf(part, kept), length);
        kept = 0;
        length = 0;
        if (part.length > KEPT_FOR_THE_NEXT) {
            part = new byte[USUAL];
        }
        return line;
    }

    private boolean isBlank() {
        for (int i = 0; i < kept; i++) {
            if (part[i] != ' ' && part[i] != '\t' && part[i] != '\r') {
                return false;
            }
        }
        return true;
    }
}
