package io.delayq.examples;

import io.delayq.client.DelayqClient;
import io.delayq.client.DelayqOptions;
import io.delayq.client.HandlerOptions;
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
        client.handle("order", new HandlerOptions(), job -> closeOrder(job.body(Order.class)));
        // end readme
        return client;
    }

    private Future<?> closeOrder(Order order) {
        closed.accept(order);
        return Future.succeededFuture();
    }
}
