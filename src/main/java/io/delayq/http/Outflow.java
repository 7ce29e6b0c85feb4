package io.delayq.http;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.function.BooleanSupplier;

/**
 * An answer that is written bit by bit, no faster than its client reads. One that does not come to its end is cut off
 * without the last chunk, so that the client knows. Owned by the request's event loop.
 */
public final class Outflow {
    public static final String LINES = "application/x-ndjson";

    private static final long LINGER_MILLIS = 2_000;

    private final Vertx vertx;
    private final HttpServerRequest request;
    private final HttpServerResponse response;
    private final long stallMillis;
    private final BooleanSupplier draining;
    private Future<Void> written = Future.succeededFuture();
    private Runnable whenOver = () -> {};
    private String mediaType = LINES;
    private long stall = -1;
    private boolean begun;
    private boolean over;

    /** @param stallMillis how long the client may read nothing while something waits for it */
    Outflow(Vertx vertx, HttpServerRequest request, long stallMillis, BooleanSupplier draining) {
        this.vertx = vertx;
        this.request = request;
        this.response = request.response();
        this.stallMillis = stallMillis;
        this.draining = draining;
        response.exceptionHandler(error -> over());
        response.closeHandler(closed -> over());
    }

    /** Told once if the answer ends before its end: the client has left, does not read, or the server cut it off. */
    public void whenCut(Runnable action) {
        whenOver = action;
        if (over) {
            action.run();
        }
    }

    /** Before anything is written: what it is, if not lines. Such is neither stored nor held up on its way. */
    public void as(String type) {
        mediaType = type;
        response.putHeader(HttpHeaders.CACHE_CONTROL, "no-store").putHeader("X-Accel-Buffering", "no");
    }

    /** Whether the server is stopping: nothing new is to be begun, and the answer is cut off soon. */
    public boolean isDraining() {
        return draining.getAsBoolean();
    }

    /** Whether anything was written; until then a failure can be told as a problem. */
    public boolean isBegun() {
        return begun;
    }

    public boolean isFull() {
        return !over && response.writeQueueFull();
    }

    public void write(Buffer lines) {
        if (!over) {
            begin();
            written = response.write(lines);
        }
    }

    public void end(Buffer lines) {
        if (!over) {
            begin();
            over = true;
            vertx.cancelTimer(stall);
            response.end(lines);
        }
    }

    /** Runs it once the client has read enough; never if it does not. At most one may wait. */
    public void whenRoom(Runnable action) {
        if (!isFull()) {
            action.run();
            return;
        }
        stall = vertx.setTimer(stallMillis, late -> abort());
        response.drainHandler(room -> {
            vertx.cancelTimer(stall);
            response.drainHandler(null);
            if (!over) {
                action.run();
            }
        });
    }

    /**
     * Ends the connection without ending the answer. What was written still arrives: to close on a client that sends would
     * reset the connection, and what it has not read would be lost.
     */
    public void cut() {
        if (over) {
            return;
        }
        over();
        long timer = vertx.setTimer(LINGER_MILLIS, late -> abort());
        written.onComplete(done -> {
            if (!request.isEnded() && channel() instanceof DuplexChannel duplex) {
                duplex.shutdownOutput();
            } else {
                vertx.cancelTimer(timer);
                abort();
            }
        });
        if (!request.isEnded()) {
            request.handler(dropped -> {});
            request.endHandler(end -> {
                vertx.cancelTimer(timer);
                abort();
            });
            request.resume();
        }
    }

    /** Past the handlers that would first write what waits, which may be never. */
    private void abort() {
        ChannelHandlerContext first = channel().pipeline().firstContext();
        if (first != null) {
            first.close();
        }
    }

    private Channel channel() {
        return ((ConnectionBase) request.connection()).channel();
    }

    private void over() {
        if (!over) {
            over = true;
            vertx.cancelTimer(stall);
            whenOver.run();
        }
    }

    private void begin() {
        if (!begun) {
            begun = true;
            response.setChunked(true).putHeader(HttpHeaders.CONTENT_TYPE, mediaType);
        }
    }
}
