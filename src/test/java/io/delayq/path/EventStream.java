package io.delayq.path;

import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/** Someone who listens to a server's events. */
public final class EventStream implements AutoCloseable, Flow.Subscriber<String> {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final Duration LIMIT = Duration.ofSeconds(15);

    private final List<Event> events = new CopyOnWriteArrayList<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final CompletableFuture<Integer> status = new CompletableFuture<>();
    private final CompletableFuture<HttpResponse<Void>> response;
    private volatile Flow.Subscription subscription;
    private volatile int comments;
    private String name;

    /** @param nanos when it came */
    public record Event(String name, JsonObject data, long nanos) {}

    public EventStream(int port) {
        response = HTTP.sendAsync(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/events"))
                        .build(),
                info -> {
                    status.complete(info.statusCode());
                    return HttpResponse.BodySubscribers.fromLineSubscriber(this);
                });
    }

    public List<Event> events() {
        return List.copyOf(events);
    }

    /** Comes with the end of the answer, however that comes. */
    public CompletableFuture<Void> ended() {
        return ended;
    }

    /** Of the answer. */
    public int status() {
        return TestServer.await(status);
    }

    public int comments() {
        return comments;
    }

    /** The first such event after one that came before. */
    public JsonObject await(String event, long afterNanos, Predicate<JsonObject> fits) {
        AtomicReference<JsonObject> found = new AtomicReference<>();
        TestRedis.await("event " + event, LIMIT, () -> {
            events.stream()
                    .filter(one -> one.name.equals(event) && one.nanos >= afterNanos && fits.test(one.data))
                    .findFirst()
                    .ifPresent(one -> found.set(one.data));
            return found.get() != null;
        });
        return found.get();
    }

    public JsonObject await(String event, Predicate<JsonObject> fits) {
        return await(event, Long.MIN_VALUE, fits);
    }

    public JsonObject await(String event) {
        return await(event, any -> true);
    }

    @Override
    public void onSubscribe(Flow.Subscription begun) {
        subscription = begun;
        begun.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(String line) {
        if (line.startsWith("event: ")) {
            name = line.substring(7);
        } else if (line.startsWith("data: ")) {
            events.add(new Event(name, new JsonObject(line.substring(6)), System.nanoTime()));
        } else if (line.startsWith(":")) {
            comments++;
        }
    }

    @Override
    public void onError(Throwable cause) {
        ended.completeExceptionally(cause);
    }

    @Override
    public void onComplete() {
        ended.complete(null);
    }

    @Override
    public void close() {
        if (subscription != null) {
            subscription.cancel();
        }
        response.cancel(true);
    }
}
