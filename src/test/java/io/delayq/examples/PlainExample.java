package io.delayq.examples;

import io.delayq.client.DelayqOptions;
import io.delayq.client.HandlerOptions;
import io.delayq.client.PlainClient;
import io.delayq.client.PushOptions;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.function.Consumer;

/** The example of docs/client.md without Vert.x, which shows what stands between the markers. */
final class PlainExample {
    private PlainExample() {}

    // begin plain
    static void run(String url, ExecutorService pool, Consumer<String> work) throws Exception {
        PlainClient client = PlainClient.create(new DelayqOptions().url(url));
        CompletableFuture<Void> worked = new CompletableFuture<>();
        client.handle(
                "greet",
                new HandlerOptions(),
                job -> CompletableFuture.runAsync(
                        () -> {
                            work.accept(job.body(String.class)); // may block: it is the application's thread
                            worked.complete(null);
                        },
                        pool));
        client.push("greet", "\"hello\"", PushOptions.in(Duration.ofMillis(100)))
                .toCompletableFuture()
                .get();
        worked.get();
        client.close().toCompletableFuture().get();
    }
    // end plain
}
