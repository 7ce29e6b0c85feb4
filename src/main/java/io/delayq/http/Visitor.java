package io.delayq.http;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.websocketx.CorruptedWebSocketFrameException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.http.WebSocketFrame;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A WebSocket that came in through the door and is served in another room, on another event loop: frames are put
 * together on the door's, whole messages are handed to the room's. May be written to from any thread.
 */
public final class Visitor {
    /** Longest message in either direction. */
    public static final int MAX_MESSAGE = 1 << 20;

    private static final short UNSUPPORTED = 1003;
    private static final short TOO_BIG = 1009;

    private final ServerWebSocket socket;
    private final Channel channel;
    private final Access.Caller caller;
    private final AtomicBoolean claimed = new AtomicBoolean();
    /** Bytes of messages that the room was handed and has not dealt with. */
    private final AtomicInteger waiting = new AtomicInteger();

    private Buffer message;
    private volatile boolean closing;
    private boolean heldBack;
    /** Messages for which it waits, as it sent more than its token may in a second. */
    private int tooMany;

    private boolean paused;

    /** What the room is told, on its own event loop. */
    public interface Listener {
        void message(byte[] text);

        void pong();

        /** Once, however it ended. */
        void ended();
    }

    /** Holds back what the client sends until a room listens. */
    Visitor(ServerWebSocket socket, Channel channel, Access.Caller caller) {
        this.socket = socket;
        this.channel = channel;
        this.caller = caller;
        socket.pause();
        if (!socket.isClosed()) {
            // at once: a bad frame may follow the handshake before a room listens
            socket.exceptionHandler(this::broken);
        }
    }

    /** True for the first who asks: the room that serves it. */
    public boolean claim() {
        return claimed.compareAndSet(false, true);
    }

    public Access.Caller caller() {
        return caller;
    }

    /** Who that is, for a job's attempt log. */
    public String by() {
        return caller.by(socket.remoteAddress());
    }

    public String address() {
        return String.valueOf(socket.remoteAddress());
    }

    /** Begins to read, on behalf of a room whose context this is. */
    public void listen(Context room, Listener listener) {
        try {
            socket.closeHandler(closed -> room.runOnContext(v -> listener.ended()));
            socket.pongHandler(pong -> room.runOnContext(v -> listener.pong()));
            socket.frameHandler(frame -> received(frame, room, listener));
            socket.resume();
        } catch (IllegalStateException closedAlready) {
            room.runOnContext(v -> listener.ended());
        }
    }

    /** Reads no further while the room has enough to do for this client, lest what it sends or is owed pile up. */
    public void holdBack(boolean hold) {
        flow(hold);
    }

    /** Completes when the message has been given to the operating system. */
    public Future<Void> send(String text) {
        return socket.writeTextMessage(text);
    }

    public void ping() {
        if (!socket.isClosed()) {
            socket.writePing(Buffer.buffer());
        }
    }

    /** No message is handed on after this. */
    public void close(int code, String reason) {
        closing = true;
        if (!socket.isClosed()) {
            socket.close((short) code, reason);
        }
    }

    /** Closes the connection under it, also when nothing can be written any more. */
    public void abort() {
        channel.close();
    }

    private void received(WebSocketFrame frame, Context room, Listener listener) {
        if (closing) {
            return;
        }
        if (frame.isBinary()) {
            close(UNSUPPORTED, "expected text messages");
            return;
        }
        if (!frame.isText() && !frame.isContinuation()) {
            return;
        }
        Buffer part = frame.binaryData();
        if ((message == null ? 0 : message.length()) + part.length() > MAX_MESSAGE) {
            message = null;
            close(TOO_BIG, "expected messages of at most 1 MiB");
            return;
        }
        message = message == null ? part : message.appendBuffer(part);
        if (frame.isFinal()) {
            byte[] text = message.getBytes();
            message = null;
            handOn(text, room, listener);
        }
    }

    private void handOn(byte[] text, Context room, Listener listener) {
        waiting.addAndGet(text.length);
        long wait = caller.owe();
        if (wait > 0) {
            tooMany(1);
            channel.eventLoop().schedule(() -> tooMany(-1), wait, TimeUnit.NANOSECONDS);
        }
        flow(null);
        room.runOnContext(v -> {
            try {
                if (!closing) {
                    listener.message(text);
                }
            } finally {
                waiting.addAndGet(-text.length);
                flow(null);
            }
        });
    }

    /** Not refused, as an ack would be lost, but read no further for a while. */
    private synchronized void tooMany(int more) {
        tooMany += more;
        flow(null);
    }

    /**
     * Reads on or not, as is right now. Called on the door's and on the room's event loop.
     *
     * @param hold null: as before
     */
    private synchronized void flow(Boolean hold) {
        heldBack = hold == null ? heldBack : hold;
        boolean stop = heldBack || tooMany > 0 || waiting.get() > MAX_MESSAGE;
        if (stop != paused) {
            paused = stop;
            if (stop) {
                socket.pause();
            } else {
                socket.resume();
            }
        }
    }

    /** Bytes that are no WebSocket frames, compressed ones included. */
    private void broken(Throwable cause) {
        if (cause instanceof CorruptedWebSocketFrameException frame) {
            close(frame.closeStatus().code(), "not a valid frame");
        }
    }
}
