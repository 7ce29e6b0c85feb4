package io.delayq.ingress;

import io.delayq.bus.Addresses;
import io.delayq.bus.Event;
import io.delayq.bus.Listen;
import io.delayq.http.Api;
import io.delayq.http.Call;
import io.delayq.http.Outflow;
import io.delayq.http.Problem;
import io.delayq.http.ProblemType;
import io.delayq.http.Right;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.http.HttpMethod;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Those who listen to what happens. They are all told the same, made once for the server; one that does not read fast
 * enough misses some, and has to go if that lasts. Owned by its verticle's event loop.
 */
final class EventRoutes {
    private static final int NO_BODY = 1024;
    private static final int MOST_STREAMS = 100;
    private static final int RETRY_AFTER_SECONDS = 5;
    private static final String EVENTS = "text/event-stream";
    private static final long ANSWER_MILLIS = 3_000;
    private static final long REPEAT_MILLIS = 2_000;
    private static final int REPEATS_A_COMMENT = 5;
    private static final long STUCK_NANOS = 10_000_000_000L;
    private static final Buffer COMMENT = Buffer.buffer(":\n\n");

    private final Vertx vertx;
    private final Addresses addresses;
    private final int most;
    private final Set<Stream> streams = new LinkedHashSet<>();
    private MessageConsumer<Event> events;
    private int repeats;

    /** One who listens. */
    private static final class Stream {
        final Outflow out;
        final Predicate<String> maySee;
        final Promise<Void> over = Promise.promise();
        /** When it was first found full and not read since; 0: it is not. */
        long fullSince;

        Stream(Outflow out, Predicate<String> maySee) {
            this.out = out;
            this.maySee = maySee;
        }
    }

    /** @param instances how many of these the server has, which share its limit */
    EventRoutes(Vertx vertx, Addresses addresses, int instances) {
        this.vertx = vertx;
        this.addresses = addresses;
        this.most = Math.max(1, MOST_STREAMS / Math.max(1, instances));
    }

    void routes(Api api) {
        api.stream(HttpMethod.GET, "/v1/events", Right.ADMIN, NO_BODY, this::listen);
    }

    int listeners() {
        return streams.size();
    }

    /** Sends everyone home. */
    void drain() {
        for (Stream stream : List.copyOf(streams)) {
            if (stream.out.isBegun()) {
                stream.out.end(Buffer.buffer());
                stream.over.tryComplete();
            } else {
                stream.over.tryFail(Problem.shuttingDown(RETRY_AFTER_SECONDS));
            }
        }
        streams.clear();
        if (events != null) {
            events.unregister();
            events = null;
        }
    }

    private Future<Void> listen(Call call, Outflow out) {
        call.refuseQuery();
        call.inPath().throwIfAny();
        if (streams.size() >= most) {
            throw ProblemType.RATE_LIMITED
                    .with("expected at most " + MOST_STREAMS + " streams of events at a time from one server")
                    .retryAfter(RETRY_AFTER_SECONDS);
        }
        Stream stream = new Stream(out, call.caller()::mayTouch);
        if (streams.isEmpty()) {
            open();
        }
        streams.add(stream);
        out.whenCut(() -> left(stream));
        vertx.eventBus()
                .<Buffer>request(
                        addresses.pulse(), new Listen(true), Addresses.options().setSendTimeout(ANSWER_MILLIS))
                .onSuccess(beginning -> {
                    out.as(EVENTS);
                    out.write(beginning.body());
                })
                .onFailure(error -> {
                    stream.over.tryFail(Problem.shuttingDown(RETRY_AFTER_SECONDS));
                    left(stream);
                });
        return stream.over.future();
    }

    private void left(Stream stream) {
        streams.remove(stream);
        stream.over.tryComplete();
    }

    private void open() {
        if (events == null) {
            events = vertx.eventBus().localConsumer(addresses.events(), this::received);
            vertx.setTimer(REPEAT_MILLIS, fired -> repeat());
        }
    }

    /** Says that somebody listens, as long as that is so. */
    private void repeat() {
        if (streams.isEmpty()) {
            if (events != null) {
                events.unregister();
                events = null;
            }
            return;
        }
        vertx.eventBus().send(addresses.pulse(), new Listen(false), Addresses.options());
        if (++repeats % REPEATS_A_COMMENT == 0) {
            write(maySee -> COMMENT);
        }
        vertx.setTimer(REPEAT_MILLIS, fired -> repeat());
    }

    private void received(Message<Event> message) {
        Event event = message.body();
        if (event.text() == null) {
            drain();
        } else {
            write(event::forOneWhoMaySee);
        }
    }

    private void write(Function<Predicate<String>, Buffer> event) {
        long now = System.nanoTime();
        for (Stream stream : List.copyOf(streams)) {
            if (!stream.out.isBegun()) {
                continue;
            }
            if (!stream.out.isFull()) {
                stream.fullSince = 0;
                Buffer text = event.apply(stream.maySee);
                if (text != null) {
                    stream.out.write(text.copy());
                }
            } else if (stream.fullSince == 0) {
                stream.fullSince = now;
            } else if (now - stream.fullSince > STUCK_NANOS) {
                stream.out.cut();
            }
        }
    }
}
