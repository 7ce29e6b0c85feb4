package io.delayq.cli;

import io.delayq.config.SettingsLoader;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;

/** Waits for what the server's own code does by futures. */
final class Loading {
    private Loading() {}

    /** Fails with {@link io.delayq.config.ConfigFaults} when anything is wrong. */
    static SettingsLoader.Loaded settings(Path file, Map<String, String> env, List<String> flags) {
        Vertx vertx = Vertx.vertx();
        try {
            return await(SettingsLoader.load(vertx, file, env, flags));
        } finally {
            await(vertx.close());
        }
    }

    static <T> T await(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause
                    ? cause
                    : new IllegalStateException(e.getCause().getMessage(), e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failure.of("interrupted");
        }
    }
}
