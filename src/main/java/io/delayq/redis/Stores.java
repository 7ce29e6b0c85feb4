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
        Link lists = endpoint.isCluster() ? ClusterLink.toSlots(vertx, endpoint, name) : null;
        return new ListStore(open(vertx, name), lists, endpoint.deadlineMillis());
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

    public boolean isCluster() {
        return endpoint.isCluster();
    }

    private Link link(Vertx vertx, String name) {
        return endpoint.isCluster()
                ? new ClusterLink(vertx, endpoint, keys, name)
                : new RedisLink(vertx, endpoint, name);
    }

    public int buckets() {
        return keys.buckets();
    }
}
