package io.delayq.examples;

import io.delayq.client.DelayqClient;
import io.delayq.client.DelayqException;
import io.delayq.client.DelayqOptions;
import io.delayq.client.HandlerOptions;
import io.delayq.client.Handling;
import io.delayq.client.JobHandler;
import io.delayq.client.Push;
import io.delayq.client.PushOptions;
import io.delayq.client.Pushed;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;

/** The examples of docs/client.md for Vert.x applications, which shows what stands between the markers. */
final class ClientExample {
    private final DelayqClient client;

    ClientExample(Vertx vertx, String url, String token) {
        // begin create
        client = DelayqClient.create(vertx, new DelayqOptions().url(url).token(token));
        // end create
    }

    // begin push
    record Order(String id, long total) {}

    Future<Pushed> remind(Order order) {
        return client.push(
                "remind", order, PushOptions.in(Duration.ofMinutes(30)).id(order.id()));
    }

    Future<Boolean> paid(Order order) {
        return client.cancel("remind", order.id());
    }

    Future<?> later(Order order) {
        return client.reschedule("remind", order.id(), Duration.ofHours(24))
                .recover(error -> error instanceof DelayqException problem && problem.is("job-not-found")
                        ? Future.succeededFuture() // paid meanwhile
                        : Future.failedFuture(error));
    }

    Future<List<Pushed>> remindAll(List<Order> orders) {
        return client.pushAll(orders.stream()
                .map(order -> new Push("remind", order, PushOptions.in(Duration.ofMinutes(30))))
                .toList());
    }
    // end push

    // begin handle
    Handling handleReminders() {
        return client.handle("remind", new HandlerOptions().concurrency(20), job -> send(job.body(Order.class)));
    }

    Handling handleNotes() {
        return client.handle("note", new HandlerOptions(), JobHandler.of(job -> System.out.println(job.json())));
    }

    private Future<?> send(Order order) {
        return order.total() > 0 ? Future.succeededFuture() : Future.failedFuture("nothing to pay");
    }
    // end handle

    // begin pull
    Future<?> workOff() {
        return client.reserve("remind", 10, Duration.ofSeconds(20)).compose(jobs -> {
            Future<?> done = Future.succeededFuture();
            for (var job : jobs) {
                done = done.compose(before -> send(job.body(Order.class)))
                        .compose(sent -> client.ack(job), error -> client.nack(job, error.getMessage()));
            }
            return done;
        });
    }
    // end pull

    Future<Void> close() {
        return client.close();
    }
}
