package io.delayq.redis;

import io.delayq.redis.RedisLink.Call;
import io.delayq.redis.StoreException.Kind;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Response;
import java.util.List;
import java.util.Set;

/**
 * Script calls to servers that share the buckets in turn and know nothing of each other: a {@link RedisLink} to each. One
 * that is away fails the calls of its own buckets only. Owned by one event loop.
 */
final class ShardLink implements Link, RedisLink.Detour {
    /** Not executed, and not to be for a while. */
    private static final Set<String> HINDERED = Set.of("LOADING", "BUSY", "MISCONF", "NOREPLICAS");

    private final List<String> nodes;
    private final List<RedisLink> links;
    private boolean closed;

    /** Begins to connect to all at once. */
    ShardLink(Vertx vertx, List<RedisEndpoint> shards, String name) {
        this.nodes = shards.stream().map(RedisEndpoint::redacted).toList();
        this.links = shards.stream()
                .map(shard -> new RedisLink(vertx, shard, name, this))
                .toList();
    }

    private RedisLink link(int bucket) {
        return links.get(bucket % links.size());
    }

    @Override
    public Future<Response> call(int bucket, Script script, List<byte[]> args, long deadlineMillis) {
        // without a deadline it would take demand along that other buckets could meet
        if (deadlineMillis == 0 && !closed && !isUp(bucket)) {
            return Future.failedFuture(outOfReach());
        }
        return link(bucket).call(bucket, script, args, deadlineMillis);
    }

    @Override
    public boolean slotsMove() {
        return false;
    }

    @Override
    public String node(int bucket) {
        return nodes.get(bucket % nodes.size());
    }

    @Override
    public boolean isUp(int bucket) {
        return link(bucket).isUp();
    }

    /** One that is away must not make the whole server look so. */
    @Override
    public boolean isUp() {
        return links.stream().anyMatch(RedisLink::isUp);
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    /** Completes with the first connection to any. */
    @Override
    public Future<Void> ready() {
        return Future.any(links.stream().map(RedisLink::ready).toList()).mapEmpty();
    }

    @Override
    public Future<Void> close() {
        closed = true;
        return Future.join(links.stream().map(RedisLink::close).toList()).mapEmpty();
    }

    @Override
    public boolean takes(Call call, String code, String text) {
        return HINDERED.contains(code) && refused(call);
    }

    /** Those that would wait for it without an end, and cannot have run, go back to who made them. */
    @Override
    public void down(RedisLink link) {
        for (Call call : link.takeBack(bucket -> true)) {
            if (!refused(call)) {
                link.add(call);
            }
        }
    }

    private static boolean refused(Call call) {
        if (call.hasDeadline() || call.lost) {
            return false;
        }
        call.promise.tryFail(outOfReach());
        return true;
    }

    private static StoreException outOfReach() {
        return new StoreException(Kind.UNAVAILABLE, "the bucket's Redis is out of reach");
    }
}
