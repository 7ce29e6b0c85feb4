package io.delayq.load.net;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A loopback connection on a {@link Loop}. Buffers are kept for its whole life; a request or answer makes no garbage. */
public abstract class Conn {
    private static final int MOST_BUFFERED = 64 << 20;

    SocketChannel channel;
    SelectionKey key;
    private byte[] in = new byte[64 << 10];
    private ByteBuffer inView = ByteBuffer.wrap(in);
    private int have;
    private byte[] out = new byte[16 << 10];
    private ByteBuffer outView = ByteBuffer.wrap(out);
    private int outFrom;
    private int outTo;

    public final void open(Loop loop, int port) throws IOException {
        channel = SocketChannel.open();
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        channel.configureBlocking(false);
        loop.add(this);
        opened();
    }

    /** The other end of a connection, for a server. */
    final void adopt(Loop loop, SocketChannel accepted) throws IOException {
        channel = accepted;
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.configureBlocking(false);
        loop.add(this);
    }

    /** Where a greeting is sent. */
    protected void opened() throws IOException {}

    /** Takes what is whole out of {@code in[from, to)} and returns where the rest begins. */
    protected abstract int heard(byte[] in, int from, int to) throws IOException;

    /** Copies, and writes what the socket takes at once. */
    protected final void send(byte[] bytes, int from, int length) throws IOException {
        if (outTo + length > out.length) {
            makeRoom(length);
        }
        System.arraycopy(bytes, from, out, outTo, length);
        outTo += length;
        if ((key.interestOps() & SelectionKey.OP_WRITE) == 0) {
            flush();
        }
    }

    protected final void send(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        send(bytes, 0, bytes.length);
    }

    private void makeRoom(int length) throws IOException {
        int waiting = outTo - outFrom;
        if (waiting + length > MOST_BUFFERED) {
            throw new IOException("more than " + MOST_BUFFERED + " bytes wait to be sent");
        }
        byte[] target = waiting + length > out.length ? new byte[Math.max(2 * out.length, waiting + length)] : out;
        System.arraycopy(out, outFrom, target, 0, waiting);
        if (target != out) {
            out = target;
            outView = ByteBuffer.wrap(out);
        }
        outFrom = 0;
        outTo = waiting;
    }

    final void flush() throws IOException {
        outView.limit(outTo).position(outFrom);
        channel.write(outView);
        outFrom = outView.position();
        boolean all = outFrom == outTo;
        if (all) {
            outFrom = 0;
            outTo = 0;
        }
        int wanted = all ? SelectionKey.OP_READ : SelectionKey.OP_READ | SelectionKey.OP_WRITE;
        if (key.interestOps() != wanted) {
            key.interestOps(wanted);
        }
    }

    final void readable() throws IOException {
        inView.limit(in.length).position(have);
        int read = channel.read(inView);
        if (read < 0) {
            throw new EOFException("the other side closed the connection");
        }
        have += read;
        int rest = heard(in, 0, have);
        if (rest > 0) {
            System.arraycopy(in, rest, in, 0, have - rest);
            have -= rest;
        }
        if (have == in.length) {
            if (have >= MOST_BUFFERED) {
                throw new IOException("an answer of more than " + MOST_BUFFERED + " bytes");
            }
            in = Arrays.copyOf(in, 2 * in.length);
            inView = ByteBuffer.wrap(in);
        }
    }
}
