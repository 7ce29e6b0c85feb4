package io.delayq.http;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.websocketx.CorruptedWebSocketFrameException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.http.WebSocketFrame;
import java.util.concurrent.atomic.AtomicBoolean;

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
    private Buffer message;

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
    }

    /** True for the first who asks: the room that serves it. */
    public boolean claim() {
        return claimed.compareAndSet(false, true);
    }

    public Access.Caller caller() {
        return caller;
    }

    public String address() {
        return String.valueOf(socket.remoteAddress());
    }

    /** Begins to read, on behalf of a room whose context this is. */
    public void listen(Context room, Listener listener) {
        socket.exceptionHandler(this::broken);
        socket.closeHandler(closed -> room.runOnContext(v -> listener.ended()));
        if (socket.isClosed()) {
            room.runOnContext(v -> listener.ended());
            return;
        }
        socket.pongHandler(pong -> room.runOnContext(v -> listener.pong()));
        socket.frameHandler(frame -> received(frame, room, listener));
        socket.resume();
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

    public void close(int code, String reason) {
        if (!socket.isClosed()) {
            socket.close((short) code, reason);
        }
    }

    /** Closes the connection under it, also when nothing can be written any more. */
    public void abort() {
        channel.close();
    }

    private void received(WebSocketFrame frame, Context room, Listener listener) {
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
            room.runOnContext(v -> listener.message(text));
        }
    }

    /** Bytes that are no WebSocket frames, compressed ones included. */
    private void broken(Throwable cause) {
        if (cause instanceof CorruptedWebSocketFrameException frame) {
            close(frame.closeStatus().code(), "not a valid frame");
        }
    }
}
