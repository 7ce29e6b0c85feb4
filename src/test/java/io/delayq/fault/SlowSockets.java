package io.delayq.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Clients that send a byte now and then, of the text that each was given, until the server has had enough. */
final class SlowSockets implements AutoCloseable {
    private static final String HEADERS = "GET /health/live HTTP/1.1\r\nHost: localhost\r\nX: " + "y".repeat(4_000);
    private static final String BODY =
            "POST /v1/topics/slow/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4000\r\n\r\n";
    private static final String REQUEST = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";

    private final List<Slow> open = new ArrayList<>();
    private final List<Long> lives = new ArrayList<>();
    private final ByteBuffer dropped = ByteBuffer.allocate(64 * 1024);
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    private final int port;

    private static final class Slow {
        final SocketChannel channel;
        final String text;
        final long begin = System.nanoTime();
        int sent;

        Slow(SocketChannel channel, String text) {
            this.channel = channel;
            this.text = text;
        }
    }

    SlowSockets(int port, long everyMillis) {
        this.port = port;
        clock.scheduleWithFixedDelay(this::drip, everyMillis, everyMillis, TimeUnit.MILLISECONDS);
    }

    /** The headers of the first request never end. */
    void headers(int count) {
        open(count, HEADERS, 0, "");
    }

    /** The same after one request that was answered. */
    void headersOfTheSecond(int count) {
        open(count, REQUEST + HEADERS, REQUEST.length(), "200 OK");
    }

    /** The headers come at once, the body does not. */
    void bodies(int count) {
        open(count, BODY + "x".repeat(4_000), BODY.length(), "");
    }

    private void open(int count, String text, int atOnce, String answer) {
        for (int i = 0; i < count; i++) {
            try {
                SocketChannel channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port));
                channel.write(ByteBuffer.wrap(text.substring(0, atOnce).getBytes(StandardCharsets.US_ASCII)));
                awaitAnswer(channel, answer);
                channel.configureBlocking(false);
                Slow slow = new Slow(channel, text);
                slow.sent = atOnce;
                synchronized (this) {
                    open.add(slow);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static void awaitAnswer(SocketChannel channel, String answer) throws IOException {
        ByteBuffer read = ByteBuffer.allocate(1024);
        while (!new String(read.array(), 0, read.position(), StandardCharsets.US_ASCII).contains(answer)) {
            if (channel.read(read) < 0) {
                throw new IOException("closed before its answer");
            }
        }
    }

    private synchronized void drip() {
        for (Iterator<Slow> each = open.iterator(); each.hasNext(); ) {
            Slow slow = each.next();
            if (isEnded(slow)) {
                lives.add((System.nanoTime() - slow.begin) / 1_000_000);
                each.remove();
            }
        }
    }

    private boolean isEnded(Slow slow) {
        try {
            dropped.clear();
            if (slow.channel.read(dropped) < 0) {
                slow.channel.close();
                return true;
            }
            if (slow.sent < slow.text.length()) {
                byte next = (byte) slow.text.charAt(slow.sent++);
                slow.channel.write(ByteBuffer.wrap(new byte[] {next}));
            }
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    synchronized int left() {
        return open.size();
    }

    /** How long each one lived that was closed, in milliseconds. */
    synchronized List<Long> lives() {
        return List.copyOf(lives);
    }

    @Override
    public void close() throws IOException {
        clock.shutdownNow();
        synchronized (this) {
            for (Slow slow : open) {
                slow.channel.close();
            }
        }
    }
}
