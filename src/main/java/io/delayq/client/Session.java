package io.delayq.client;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.WebSocket;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One connection of a handling, from subscribe to its end: what it holds dies with it. Owned by the client's context. */
final class Session {
    private static final Logger log = LoggerFactory.getLogger(Session.class);
    private static final long LISTEN_MILLIS = 15_000;
    private static final int SILENT_ROUNDS = 2;

    /** What a handling is told of its connection. */
    interface Owner {
        void subscribed();

        /** The server does not want this subscription; the connection is being closed. */
        void refused(DelayqException problem);

        void arrived(List<Held> jobs);

        /** The server has taken these outcomes. */
        void settled(List<Held> jobs, int stale);

        /** Once, however it ended. */
        void ended(Session session);
    }

    private final Vertx vertx;
    private final WebSocket socket;
    private final String topic;
    private final ObjectMapper mapper;
    private final Owner owner;
    private final LeaseKeeper keeper;
    private final Settler settler;
    private final Map<String, Held> held = new LinkedHashMap<>();
    private final Map<Long, Consumer<Json.Message>> asked = new HashMap<>();
    private long refs;
    private long listenTimer;
    private int silentRounds;
    private boolean unsubscribed;
    private boolean ended;

    Session(
            Vertx vertx,
            Context context,
            WebSocket socket,
            String topic,
            ObjectMapper mapper,
            ServerClock clock,
            long extendNanos,
            Owner owner) {
        this.vertx = vertx;
        this.socket = socket;
        this.topic = topic;
        this.mapper = mapper;
        this.owner = owner;
        this.keeper = new LeaseKeeper(vertx, this, clock, extendNanos);
        this.settler = new Settler(vertx, context, this);
    }

    void open(int prefetch) {
        socket.exceptionHandler(error -> log.debug("connection topic={}", topic, error));
        socket.textMessageHandler(this::received);
        socket.closeHandler(closed -> end());
        listenTimer = vertx.setTimer(LISTEN_MILLIS, fired -> listen());
        ask(message("subscribe").put("prefetch", prefetch), answer -> {
            if (answer.fields().path("op").asText().equals("subscribed")) {
                owner.subscribed();
            } else {
                var problem = answer.fields().path("problem");
                owner.refused(DelayqException.of(problem.path("status").asInt(), problem));
                close();
            }
        });
        if (socket.isClosed()) {
            end();
        }
    }

    String topic() {
        return topic;
    }

    boolean isEnded() {
        return ended;
    }

    Collection<Held> held() {
        return List.copyOf(held.values());
    }

    /** Nothing more comes, and nothing is held. */
    boolean isOver() {
        return ended || (unsubscribed && held.isEmpty());
    }

    void settle(Held job) {
        settler.settle(job);
    }

    void settled(List<Held> jobs, int stale) {
        jobs.forEach(this::forget);
        owner.settled(jobs, stale);
    }

    /** Its lease does not hold any more: whatever becomes of it here is of no account. */
    void lost(Held job) {
        job.job.lose();
        forget(job);
    }

    /** No more jobs; {@code then} when that is certain. */
    void unsubscribe(Runnable then) {
        ask(message("unsubscribe"), answer -> {
            unsubscribed = true;
            then.run();
        });
    }

    Future<Void> close() {
        return socket.isClosed() ? Future.succeededFuture() : socket.close();
    }

    /** Sends a message and waits for its answer, an error included. The future completes when it is written. */
    Future<Void> ask(ObjectNode message, Consumer<Json.Message> answer) {
        if (ended || socket.isClosed()) {
            return Future.failedFuture("the connection is closed");
        }
        long ref = ++refs;
        asked.put(ref, answer);
        return socket.writeTextMessage(Json.text(message.put("ref", ref)));
    }

    private ObjectNode message(String op) {
        return Json.MAPPER.createObjectNode().put("op", op).put("topic", topic);
    }

    private void received(String text) {
        silentRounds = 0;
        if (ended) {
            return;
        }
        Json.Message message;
        try {
            message = Json.read(text);
        } catch (IllegalArgumentException e) {
            log.warn("not a message topic={}", topic, e);
            close();
            return;
        }
        String op = message.fields().path("op").asText();
        if (op.equals("jobs")) {
            arrived(message.jobs());
            return;
        }
        Consumer<Json.Message> answer =
                asked.remove(message.fields().path("ref").asLong(-1));
        if (answer != null) {
            answer.accept(message);
        } else if (op.equals("draining")) {
            log.info("server is stopping topic={} unsettled={}", topic, held.size());
        } else if (op.equals("error")) {
            log.warn("error topic={} problem={}", topic, message.fields().path("problem"));
        }
    }

    private void arrived(List<Json.Message> jobs) {
        long now = System.nanoTime();
        List<Held> all = new ArrayList<>(jobs.size());
        for (Json.Message fields : jobs) {
            Job job = new Job(topic, fields.fields(), new Body(fields.body(), mapper));
            Held one = new Held(job, this, now);
            held.put(job.lease(), one);
            all.add(one);
        }
        keeper.arrived(all);
        owner.arrived(all);
    }

    /** Every 15 s: a connection on which nothing came is asked, and given up if it stays silent. */
    private void listen() {
        if (silentRounds >= SILENT_ROUNDS) {
            end();
            close();
            return;
        }
        if (silentRounds++ > 0) {
            ask(Json.MAPPER.createObjectNode().put("op", "ping"), pong -> {});
        }
        listenTimer = vertx.setTimer(LISTEN_MILLIS, fired -> listen());
    }

    private void forget(Held job) {
        held.remove(job.job.lease());
        keeper.gone(job);
    }

    private void end() {
        if (ended) {
            return;
        }
        ended = true;
        vertx.cancelTimer(listenTimer);
        keeper.stop();
        held.values().forEach(job -> job.job.lose());
        held.clear();
        asked.clear();
        owner.ended(this);
    }
}
