package io.delayq.redis;

import io.vertx.core.Future;
import java.util.List;

/** The keys of mix-basic/delayer, which its clients write themselves. On one Redis only. */
public final class DelayerStore {
    private static final long WAIT_SECONDS = 10;

    private final Store store;

    /** @param next when the next id is due by the same clock, -1 if the pool is empty */
    public record Bridged(long now, long next, int moved) {}

    DelayerStore(Store store) {
        this.store = store;
    }

    public Store store() {
        return store;
    }

    /** Puts due ids on the ready queues of their topics. */
    public Future<Bridged> bridge(int most) {
        return store.topics()
                .call(Script.BRIDGE, 0, List.of(Bytes.of(Keys.DELAYER), Bytes.of(most), Bytes.of(WAIT_SECONDS)))
                .map(answer -> new Bridged(
                        answer.get(0).toLong(),
                        answer.get(1).toLong(),
                        answer.get(2).toInteger()));
    }
}
