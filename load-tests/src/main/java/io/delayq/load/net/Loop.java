package io.delayq.load.net;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * One selector for all connections of a run. Everything a connection does happens on the thread that calls
 * {@link #run}; only {@link #wakeup} may come from others.
 */
public final class Loop implements AutoCloseable {
    private final Selector selector;
    private final List<Conn> conns = new ArrayList<>();
    private long lastHeard;

    public Loop() throws IOException {
        selector = Selector.open();
    }

    void add(Conn conn) throws IOException {
        conn.key = conn.channel.register(selector, SelectionKey.OP_READ, conn);
        conns.add(conn);
    }

    public void wakeup() {
        selector.wakeup();
    }

    /** Until {@code done}; fails if nothing at all was heard for as long as {@code silence}. */
    public void run(BooleanSupplier done, Duration silence, Runnable eachTurn) throws IOException {
        lastHeard = System.nanoTime();
        while (!done.getAsBoolean()) {
            try {
                selector.select(this::ready, 100);
                eachTurn.run();
            } catch (UncheckedIOException e) {
                throw e.getCause();
            }
            if (System.nanoTime() - lastHeard > silence.toNanos()) {
                throw new IOException("nothing heard for " + silence.toSeconds() + " s");
            }
        }
    }

    public void run(BooleanSupplier done) throws IOException {
        run(done, Duration.ofSeconds(30), () -> {});
    }

    private void ready(SelectionKey key) {
        Conn conn = (Conn) key.attachment();
        try {
            if (key.isWritable()) {
                conn.flush();
            }
            if (key.isReadable()) {
                lastHeard = System.nanoTime();
                conn.readable();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        for (Conn conn : conns) {
            conn.channel.close();
        }
        selector.close();
    }
}
