package io.delayq.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.delayq.client.Transport.Answer;
import io.delayq.client.Transport.Request;
import io.delayq.job.IdSource;
import io.delayq.job.Ids;
import io.delayq.job.Names;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The client for Vert.x applications; {@link PlainClient} is the same without Vert.x types.
 *
 * <p>Safe from any thread. Operations complete on the caller's context if it has one. Handlers all run on the context on
 * which the client was made, or on an event loop of its own if there was none: one at a time, so they need no locks among
 * themselves and must not block. Whoever wants more cores makes more clients.
 *
 * <p>Operations are repeated within {@code requestTimeout} while the server is out of reach or cannot now. A push carries
 * an id, made here if none is given, so that a repeated one makes one job. All fail with a {@link DelayqException}, and
 * with an {@link IllegalArgumentException} if what they were given cannot be sent.
 */
public final class DelayqClient {
    private final Vertx vertx;
    private final boolean ownsVertx;
    private final ObjectMapper mapper;
    private final IdSource ids = new Ids();
    private final Transport transport;
    private final long requestMillis;
    private final SocketMaker sockets;
    private final Context context;
    private final ServerClock clock = new ServerClock();
    private final Set<Handling> handlings = ConcurrentHashMap.newKeySet();

    private DelayqClient(Vertx vertx, boolean ownsVertx, DelayqOptions options) {
        this.vertx = vertx;
        this.ownsVertx = ownsVertx;
        this.mapper = options.mapper();
        this.transport = new Transport(vertx, options);
        this.requestMillis = options.requestMillis();
        this.sockets = new SocketMaker(vertx, options);
        this.context = vertx.getOrCreateContext();
    }

    public static DelayqClient create(Vertx vertx, DelayqOptions options) {
        return new DelayqClient(vertx, false, options);
    }

    /** With a Vert.x of its own, which ends with the client. */
    public static DelayqClient create(DelayqOptions options) {
        return new DelayqClient(Vertx.vertx(), true, options);
    }

    /** The same client without Vert.x types. */
    public PlainClient plain() {
        return new PlainClient(this);
    }

    /**
     * Stores a job.
     *
     * @param body a String is JSON text and is kept as spelled; a {@code JsonObject}, {@code JsonArray} or Jackson tree is
     *     what it is; null is null; everything else becomes JSON through Jackson
     * @return fails with {@code job-exists} if the id given is in use
     */
    public Future<Pushed> push(String topic, Object body, PushOptions options) {
        return begin(() -> {
            ObjectNode job = job(body, options);
            String id = id(options);
            job.put("id", id);
            String path = "/v1/topics/" + topic(topic) + "/jobs";
            return transport
                    .send(new Request(HttpMethod.POST, path, job, options.traceparent(), 0, true))
                    .map(answer -> {
                        // our own, stored by a try whose answer was lost
                        if (answer.status() == 409 && answer.perhapsDone()) {
                            return pushed(
                                    201, topic, id, Json.problem(answer.text()).path("job"));
                        }
                        return pushed(
                                expect(answer).status(),
                                topic,
                                id,
                                Json.read(answer.text()).fields());
                    });
        });
    }

    public Future<Pushed> push(String topic, Object body) {
        return push(topic, body, PushOptions.now());
    }

    /**
     * Stores many jobs. One that is refused does not sink the others: look at {@link Pushed#isStored}.
     *
     * @return what became of each, in the order given
     */
    public Future<List<Pushed>> pushAll(List<Push> jobs) {
        return begin(() -> {
            List<ObjectNode> nodes = new ArrayList<>(jobs.size());
            for (Push push : jobs) {
                nodes.add(job(push.body(), push.options())
                        .put("topic", push.topic())
                        .put("id", id(push.options())));
            }
            return new BulkPush(vertx, transport, requestMillis, nodes).run();
        });
    }

    /** Creates the job or replaces the one that has the id, whatever state it is in. */
    public Future<Pushed> put(String topic, String id, Object body, PushOptions options) {
        return begin(() -> {
            if (options.id() != null && !options.id().equals(id)) {
                throw new IllegalArgumentException("the options have another id");
            }
            return transport
                    .send(new Request(
                            HttpMethod.PUT, path(topic, id), job(body, options), options.traceparent(), 0, true))
                    .map(answer -> pushed(
                            expect(answer).status(),
                            topic,
                            id,
                            Json.read(answer.text()).fields()));
        });
    }

    /** @return empty if there is no such job */
    public Future<Optional<JobInfo>> get(String topic, String id) {
        return begin(() -> transport
                .send(new Request(HttpMethod.GET, path(topic, id), null))
                .map(answer -> answer.status() == 404 ? Optional.empty() : Optional.of(info(answer))));
    }

    /** @return whether there was such a job */
    public Future<Boolean> cancel(String topic, String id) {
        return begin(() -> transport
                .send(new Request(HttpMethod.DELETE, path(topic, id), null))
                .map(answer -> {
                    if (answer.status() == 404 && answer.problem().is("job-not-found")) {
                        return answer.perhapsDone();
                    }
                    expect(answer);
                    return true;
                }));
    }

    /** The job is due that long from now. */
    public Future<JobInfo> reschedule(String topic, String id, Duration delay) {
        return begin(() -> reschedule(topic, id, Json.MAPPER.createObjectNode().put("delay", Json.millis(delay))));
    }

    public Future<JobInfo> reschedule(String topic, String id, Instant at) {
        return begin(() -> reschedule(topic, id, Json.MAPPER.createObjectNode().put("at", Json.millis(at))));
    }

    private Future<JobInfo> reschedule(String topic, String id, ObjectNode when) {
        return transport
                .send(new Request(HttpMethod.PATCH, path(topic, id), when))
                .map(this::info);
    }

    /**
     * Takes up to {@code max} jobs; waits up to {@code wait} while there is none. The caller settles each, before its
     * deadline. Not repeated when the answer is lost: the jobs that were in it come back when their leases end.
     */
    public Future<List<Job>> reserve(String topic, int max, Duration wait) {
        return begin(() -> {
            ObjectNode wish = Json.MAPPER.createObjectNode().put("max", max).put("wait", Json.millis(wait));
            String path = "/v1/topics/" + topic(topic) + "/reserve";
            return transport
                    .send(new Request(HttpMethod.POST, path, wish, null, Json.millis(wait), false))
                    .map(answer -> Json.read(expect(answer).text()).jobs().stream()
                            .map(job -> received(topic, job))
                            .toList());
        });
    }

    /** The job is done. Fails with {@code stale-lease} if it is no longer the caller's. */
    public Future<Void> ack(Job job) {
        return settle(job, "ack", lease(job));
    }

    /** The job failed; the backoff decides when it runs again. */
    public Future<Void> nack(Job job, String reason) {
        return settle(job, "nack", lease(job).put("error", Reasons.shortened(reason)));
    }

    /** The job failed and runs again after {@code delay}, if attempts remain. */
    public Future<Void> nack(Job job, String reason, Duration delay) {
        return settle(
                job, "nack", lease(job).put("error", Reasons.shortened(reason)).put("delay", Json.millis(delay)));
    }

    /** The lease lasts that long from now. */
    public Future<Void> extend(Job job, Duration ttr) {
        return settle(job, "extend", lease(job).put("ttr", Json.millis(ttr)));
    }

    /**
     * Handles a topic's jobs as they come due, until the handling is closed. Each handling has a connection of its own: a
     * connection has one subscription a topic, and so two handlers of one topic do not share it, a slow one holds back
     * only itself, and closing one leaves the others alone.
     *
     * <p>A job may be delivered more than once: when the connection or a lease is lost it runs again, perhaps while it
     * still runs here.
     */
    public Handling handle(String topic, HandlerOptions options, JobHandler handler) {
        Handling handling = new Handling(vertx, context, sockets, clock, mapper, topic(topic), options, handler);
        handlings.add(handling);
        handling.closed().onComplete(done -> handlings.remove(handling));
        handling.start();
        return handling;
    }

    /** Closes handlings as {@link Handling#close} does, then everything else. */
    public Future<Void> close() {
        List<Future<Void>> closing = new ArrayList<>();
        handlings.forEach(handling -> closing.add(handling.close()));
        return Future.join(closing)
                .transform(done -> transport.close())
                .eventually(sockets::close)
                .eventually(() -> ownsVertx ? vertx.close() : Future.succeededFuture());
    }

    private Future<Void> settle(Job job, String how, ObjectNode body) {
        return begin(() -> transport
                .send(new Request(HttpMethod.POST, path(job.topic(), job.id()) + "/" + how, body))
                .map(answer -> {
                    // an ack that took effect answers stale-lease when repeated; an extension does not
                    boolean settled = answer.status() == 409 && answer.perhapsDone() && !how.equals("extend");
                    if (!settled) {
                        expect(answer);
                    }
                    return null;
                }));
    }

    private ObjectNode job(Object body, PushOptions options) {
        ObjectNode job = options.write(Json.MAPPER.createObjectNode());
        job.putRawValue("body", Json.body(body, mapper));
        return job;
    }

    private String id(PushOptions options) {
        return options.id() == null ? ids.next() : options.id();
    }

    private JobInfo info(Answer answer) {
        Json.Message message = Json.read(expect(answer).text());
        return new JobInfo(message.fields(), new Body(message.body(), mapper));
    }

    private Job received(String topic, Json.Message job) {
        return new Job(topic, job.fields(), new Body(job.body(), mapper));
    }

    private static Pushed pushed(int status, String topic, String id, JsonNode fields) {
        return new Pushed(status, topic, id, Json.state(fields), Json.time(fields, "due"), null, null);
    }

    private static Answer expect(Answer answer) {
        if (answer.status() >= 300) {
            throw answer.problem();
        }
        return answer;
    }

    private static ObjectNode lease(Job job) {
        return Json.MAPPER.createObjectNode().put("lease", job.lease());
    }

    private static String path(String topic, String id) {
        String fault = Names.idFault(id);
        if (fault != null) {
            throw new IllegalArgumentException("id: " + fault);
        }
        return "/v1/topics/" + topic(topic) + "/jobs/"
                + URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static String topic(String topic) {
        String fault = Names.topicFault(topic);
        if (fault != null) {
            throw new IllegalArgumentException("topic: " + fault);
        }
        return topic;
    }

    private static <T> Future<T> begin(Supplier<Future<T>> operation) {
        try {
            return operation.get();
        } catch (RuntimeException e) {
            return Future.failedFuture(e);
        }
    }
}
