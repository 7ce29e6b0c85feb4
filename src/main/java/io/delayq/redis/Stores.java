package io.delayq.redis;

import io.delayq.ops.LoopLag;
import io.delayq.ops.Meters;
import io.vertx.core.Vertx;

/**
 * What every room needs to reach Redis. Each verticle instance opens a store of its own, with a connection of its own, on
 * its event loop.
 */
public record Stores(RedisEndpoint endpoint, Keys keys, Meters meters) {
    /** @param name of the room, for logs and metrics */
    public Store open(Vertx vertx, String name) {
        Store store = new Store(vertx, link(vertx, name), endpoint, keys, meters);
        meters.queue("store", name, store::waiting);
        LoopLag.watch(vertx, name, meters);
        return store;
    }

    /** The same, with the Redis lists of others. */
    public ListStore openLists(Vertx vertx, String name) {
        return new ListStore(open(vertx, name), lists(vertx, name), endpoint.deadlineMillis());
    }

    /** Null where they are beside the jobs. */
    private Link lists(Vertx vertx, String name) {
        if (endpoint.isCluster()) {
            return ClusterLink.toSlots(vertx, endpoint, name);
        }
        return endpoint.isSpread() ? new RedisLink(vertx, endpoint.shards().get(0), name) : null;
    }

    /**
     * The same, with a Redis list that others put jobs on.
     *
     * @param most entries to look at in one call
     * @param longest bytes of a job
     */
    public IntakeStore openIntake(Vertx vertx, String name, String list, int most, int longest) {
        return new IntakeStore(open(vertx, name), keys, list, most, longest);
    }

    /** The same, with the keys of mix-basic/delayer. */
    public DelayerStore openDelayer(Vertx vertx, String name) {
        return new DelayerStore(open(vertx, name));
    }

    /** Whether the buckets lie on several servers. */
    public boolean isSpread() {
        return endpoint.isSpread();
    }

    private Link link(Vertx vertx, String name) {
        if (endpoint.isCluster()) {
            return new ClusterLink(vertx, endpoint, keys, name);
        }
        return endpoint.isSpread()
                ? new ShardLink(vertx, endpoint.shards(), name)
                : new RedisLink(vertx, endpoint, name);
    }

    public int buckets() {
        return keys.buckets();
    }
}
