package io.delayq.redis;

import io.delayq.config.Settings;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The embedded Redis, or several that share the buckets: all are there, or none. */
public final class EmbeddedShards {
    private final Vertx vertx;
    private final Settings.Redis settings;
    private final List<EmbeddedRedis> all;
    private final Future<Settings.Redis> reached;

    /** Begins to start all at once. */
    public EmbeddedShards(Vertx vertx, Path dataDir, Settings.Redis settings) {
        boolean always = settings.durability().always();
        this.vertx = vertx;
        this.settings = settings;
        this.all = IntStream.rangeClosed(1, settings.processes())
                .mapToObj(number -> new EmbeddedRedis(vertx, number, settings.program(), always))
                .toList();
        this.reached = Future.all(
                        all.stream().map(redis -> redis.started(dataDir)).toList())
                .map(started -> withUrls())
                .recover(failure -> stop().transform(stopped -> Future.failedFuture(failure)));
    }

    /**
     * Done when all answer: the settings with the way to them. With passwords, so not for logs. If one cannot be started,
     * the others are ended before this fails. See {@link EmbeddedRedis#start}.
     */
    public Future<Settings.Redis> reached() {
        return reached;
    }

    private Settings.Redis withUrls() {
        List<String> urls = all.stream().map(EmbeddedRedis::url).toList();
        return urls.size() == 1 ? settings.withUrl(urls.get(0)) : settings.withShards(urls);
    }

    /** The nearer way to each, by its address; known once they are reached. */
    public Sockets sockets() {
        return Sockets.of(vertx, all.stream().collect(Collectors.toMap(EmbeddedRedis::url, EmbeddedRedis::socket)));
    }

    /** Side by side, so that it takes no longer than for one; also those that are still starting. */
    public Future<Void> stop() {
        return Future.join(all.stream().map(EmbeddedRedis::stop).toList()).mapEmpty();
    }
}
