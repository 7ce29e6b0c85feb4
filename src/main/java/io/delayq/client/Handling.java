package io.delayq.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.WebSocket;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A topic being handled. Keeps a connection, reconnects and subscribes again by itself, and runs at most so many jobs at a
 * time, those of a lost connection included. Its methods may be called from any thread; its state is the context's.
 */
public final class Handling {
    private static final Logger log = LoggerFactory.getLogger(Handling.class);
    private static final long LAST_CLOSE_MILLIS = 3_000;

    private final Vertx vertx;
    private final Context context;
    private final SocketMaker sockets;
    private final ServerClock clock;
    private final ObjectMapper mapper;
    private final String topic;
    private final HandlerOptions options;
    private final JobHandler handler;
    private final Waits waits;
    private final Promise<Void> ready = Promise.promise();
    private final Promise<Void> closed = Promise.promise();
    private final Deque<Held> waiting = new ArrayDeque<>();
    private final AtomicLong acked = new AtomicLong();
    private final AtomicLong nacked = new AtomicLong();
    private final AtomicLong stale = new AtomicLong();
    private final AtomicLong connections = new AtomicLong();
    private volatile int running;
    private Session session;
    private long reconnectTimer = -1;
    private long closeTimer = -1;
    private boolean down;
    private boolean closing;
    private boolean ending;

    /**
     * @param acked jobs that were done, as far as the server took the outcome
     * @param nacked jobs that failed, likewise
     * @param stale jobs that had an outcome, but were no longer this consumer's
     * @param connections how often it has subscribed
     * @param running jobs that run now
     */
    public record Counts(long acked, long nacked, long stale, long connections, int running) {}

    Handling(
            Vertx vertx,
            Context context,
            SocketMaker sockets,
            ServerClock clock,
            ObjectMapper mapper,
            String topic,
            HandlerOptions options,
            JobHandler handler) {
        this.vertx = vertx;
        this.context = context;
        this.sockets = sockets;
        this.clock = clock;
        this.mapper = mapper;
        this.topic = topic;
        this.options = options;
        this.handler = handler;
        this.waits = sockets.waits();
    }

    /**
     * Completes when the server has taken the subscription, however long it is out of reach. Fails if it refuses it, for
     * lack of rights for example; the handling is then over.
     */
    public Future<Void> ready() {
        return ready.future();
    }

    /**
     * No more jobs come; those that have arrived are run and settled, for at most {@code closeTimeout}; then the
     * connection is closed, and what is not settled goes to other consumers.
     */
    public Future<Void> close() {
        context.runOnContext(v -> beginClose());
        return closed.future();
    }

    public Counts counts() {
        return new Counts(acked.get(), nacked.get(), stale.get(), connections.get(), running);
    }

    /** Kept inside, so that none of it is the application's to call. */
    private final class Events implements Session.Owner {
        @Override
        public void subscribed() {
            Handling.this.subscribed();
        }

        @Override
        public void refused(DelayqException problem) {
            Handling.this.refused(problem);
        }

        @Override
        public void arrived(List<Held> jobs) {
            waiting.addAll(jobs);
            runWaiting();
        }

        @Override
        public void settled(List<Held> jobs, int stale) {
            Handling.this.settled(jobs, stale);
        }

        @Override
        public void ended(Session by) {
            Handling.this.ended(by);
        }
    }

    Future<Void> closed() {
        return closed.future();
    }

    void start() {
        context.runOnContext(v -> connect());
    }

    private void connect() {
        reconnectTimer = -1;
        sockets.open().onComplete(opened -> context.runOnContext(v -> connected(opened)));
    }

    private void connected(AsyncResult<WebSocket> opened) {
        if (opened.failed()) {
            DelayqException failure = (DelayqException) opened.cause();
            if (isRefusal(failure)) {
                refused(failure);
            }
            reconnect(failure.getMessage());
        } else if (closing) {
            opened.result().close();
        } else {
            session = new Session(
                    vertx, context, opened.result(), topic, mapper, clock, options.extendNanos(), new Events());
            session.open(options.prefetch());
        }
    }

    private void reconnect(String reason) {
        if (closing) {
            return;
        }
        if (!down) {
            down = true;
            log.warn("down topic={} reason={}", topic, reason);
        }
        reconnectTimer = vertx.setTimer(waits.nextMillis(), fired -> connect());
    }

    private void subscribed() {
        waits.reset();
        if (down) {
            down = false;
            log.info("up topic={}", topic);
        }
        connections.incrementAndGet();
        ready.tryComplete();
    }

    /** Before the first subscription it ends the handling; later it may pass, as when tokens are being changed. */
    private void refused(DelayqException problem) {
        if (isRefusal(problem) && ready.tryFail(problem)) {
            beginClose();
        }
    }

    private static boolean isRefusal(DelayqException problem) {
        return problem.status() >= 400 && problem.status() < 500 && problem.status() != 429;
    }

    private void runWaiting() {
        while (running < options.concurrency() && !waiting.isEmpty()) {
            Held held = waiting.poll();
            if (held.job.isHeld()) {
                run(held);
            }
        }
    }

    // running is volatile for readers elsewhere; only the context writes it
    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    private void run(Held held) {
        running++;
        Future<?> outcome;
        try {
            outcome = handler.handle(held.job);
            if (outcome == null) {
                outcome = Future.failedFuture("the handler returned null");
            }
        } catch (Throwable e) {
            outcome = Future.failedFuture(e);
        }
        // it may complete on any thread, and at once
        outcome.onComplete(result -> context.runOnContext(v -> finished(held, result)));
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField")
    private void finished(Held held, AsyncResult<?> result) {
        running--;
        held.finished = true;
        if (held.job.isHeld()) {
            held.failure = result.succeeded() ? null : Reasons.of(result.cause());
            held.session.settle(held);
        } else {
            stale.incrementAndGet();
            log.debug("too late topic={} id={}", topic, held.job.id());
        }
        runWaiting();
        endIfOver();
    }

    private void settled(List<Held> jobs, int staleOnes) {
        boolean acks = jobs.get(0).failure == null;
        (acks ? acked : nacked).addAndGet(jobs.size() - staleOnes);
        if (staleOnes > 0) {
            stale.addAndGet(staleOnes);
            log.info("too late topic={} jobs={}", topic, staleOnes);
        }
        endIfOver();
    }

    private void ended(Session by) {
        if (session == by) {
            session = null;
            waiting.clear();
            reconnect("connection closed");
            endIfOver();
        }
    }

    private void beginClose() {
        if (closing) {
            return;
        }
        closing = true;
        ready.tryFail("closed");
        if (reconnectTimer >= 0) {
            vertx.cancelTimer(reconnectTimer);
        }
        closeTimer = vertx.setTimer(options.closeMillis(), fired -> end());
        if (session != null) {
            session.unsubscribe(this::endIfOver);
        }
        endIfOver();
    }

    private void endIfOver() {
        if (closing && running == 0 && waiting.isEmpty() && (session == null || session.isOver())) {
            end();
        }
    }

    private void end() {
        if (ending) {
            return;
        }
        ending = true;
        vertx.cancelTimer(closeTimer);
        Future<Void> gone = session == null ? Future.succeededFuture() : session.close();
        gone.timeout(LAST_CLOSE_MILLIS, TimeUnit.MILLISECONDS).onComplete(done -> closed.tryComplete());
    }
}
