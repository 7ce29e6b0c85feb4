package io.delayq.examples;

import io.delayq.client.DelayqClient;
import io.delayq.client.DelayqOptions;
import io.delayq.client.HandlerOptions;
import io.delayq.client.JobHandler;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.function.Consumer;

/** The example of README.md, which shows what stands between the markers. */
final class ReadmeExample {
    private final Consumer<Order> closed;

    record Order(long orderId) {}

    ReadmeExample(Consumer<Order> closed) {
        this.closed = closed;
    }

    DelayqClient run(Vertx vertx) {
        // begin readme
        DelayqClient client = DelayqClient.create(vertx, new DelayqOptions());
        client.handle("order", new HandlerOptions(), job -> {
            Future<?> closed = closeOrder(job.body(Order.class));
            return closed; // the job is acked when it succeeds, nacked when it fails
        });
        client.handle("note", new HandlerOptions(), JobHandler.of(job -> System.out.println(job.json())));
        // end readme
        return client;
    }

    private Future<?> closeOrder(Order order) {
        closed.accept(order);
        return Future.succeededFuture();
    }
}
