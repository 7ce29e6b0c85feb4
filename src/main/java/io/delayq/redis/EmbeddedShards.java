package io.delayq.redis;

import io.delayq.config.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** The embedded Redis, or several that share the buckets: all are there, or none. */
public final class EmbeddedShards {
    private final List<EmbeddedRedis> all;

    private EmbeddedShards(List<EmbeddedRedis> all) {
        this.all = all;
    }

    /** Done when all answer. If one cannot be started, the others are ended again. See {@link EmbeddedRedis#start}. */
    public static Future<EmbeddedShards> start(Vertx vertx, Path dataDir, Settings.Redis settings) {
        boolean always = settings.durability().always();
        List<Future<EmbeddedRedis>> starting = IntStream.rangeClosed(1, settings.processes())
                .mapToObj(number -> EmbeddedRedis.start(vertx, dataDir, number, settings.program(), always))
                .toList();
        return Future.join(starting).transform(joined -> {
            EmbeddedShards started = new EmbeddedShards(starting.stream()
                    .filter(Future::succeeded)
                    .map(Future::result)
                    .toList());
            // the first by number, since that one speaks of the directory as it was set
            Optional<Throwable> failure =
                    starting.stream().filter(Future::failed).map(Future::cause).findFirst();
            return failure.isEmpty()
                    ? Future.succeededFuture(started)
                    : started.stop().transform(stopped -> Future.failedFuture(failure.get()));
        });
    }

    /** The settings with the way to them: with passwords, so not for logs. */
    public Settings.Redis reached(Settings.Redis settings) {
        List<String> urls = all.stream().map(EmbeddedRedis::url).toList();
        return urls.size() == 1 ? settings.withUrl(urls.get(0)) : settings.withShards(urls);
    }

    /** Side by side, so that it takes no longer than for one. */
    public Future<Void> stop() {
        return Future.join(all.stream().map(EmbeddedRedis::stop).toList()).mapEmpty();
    }
}
