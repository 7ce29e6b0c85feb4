package io.delayq.examples;

import io.delayq.Server;
import io.delayq.client.DelayqClient;
import io.delayq.client.DelayqOptions;
import io.delayq.client.HandlerOptions;
import io.delayq.client.PushOptions;
import io.delayq.config.Settings;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.nio.file.Path;
import java.time.Duration;

/** The example of docs/embedding.md, which shows what stands between the markers. */
final class EmbeddedExample {
    private EmbeddedExample() {}

    // begin embedding
    /** A shop with a delay queue inside: closes orders that were not paid in time. */
    static final class Shop extends VerticleBase {
        private final Settings settings;
        private Server queue;
        private DelayqClient client;

        Shop(Path dataDir) {
            // no Redis named: one is started, with its data here
            settings = Settings.defaults().withDataDir(dataDir).withPort(0);
        }

        @Override
        public Future<?> start() {
            return Server.start(vertx, settings).compose(started -> {
                queue = started;
                client = DelayqClient.create(vertx, new DelayqOptions().url("http://127.0.0.1:" + queue.port()));
                return client.handle("close-order", new HandlerOptions(), job -> close(job.body(Order.class)))
                        .ready();
            });
        }

        /** The client first, so that what runs is settled; then the queue. */
        @Override
        public Future<?> stop() {
            return client.close().eventually(queue::stop);
        }

        Future<?> ordered(Order order, Duration timeToPay) {
            return client.push("close-order", order, PushOptions.in(timeToPay).id(order.id()));
        }

        private Future<?> close(Order order) {
            vertx.eventBus().publish("closed", order.id());
            return Future.succeededFuture();
        }
    }

    record Order(String id) {}
    // end embedding
}
