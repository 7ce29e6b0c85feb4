package io.delayq.bus;

import io.delayq.job.TopicCounts;
import io.delayq.redis.Store;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * How many jobs stand in each state, of all topics. Gathered some topics at a time, with rests, and the less often the
 * longer it takes. What is gathered stays until all of it is there anew. Owned by one event loop.
 */
final class Depths {
    private static final int TOPICS_A_STEP = 100;
    /** Of more only the sum is kept. */
    private static final int MOST_TOPICS = 10_000;
    /** Between two gatherings it rests so many times as long as one has worked. */
    private static final int RESTS = 20;

    private static final TopicCounts NONE = TopicCounts.none("");

    private final Vertx vertx;
    private final Store store;
    private final Consumer<Collection<TopicCounts>> gathered;
    private NavigableMap<String, TopicCounts> topics = new TreeMap<>();
    private TopicCounts rest = NONE;
    private TopicCounts sum = NONE;
    private boolean complete;
    private boolean underWay;
    private long endedNanos;
    private long workedNanos;

    /** @param gathered told whenever there is something new: each topic, and as one more what all have that are not kept */
    Depths(Vertx vertx, Store store, Consumer<Collection<TopicCounts>> gathered) {
        this.vertx = vertx;
        this.store = store;
        this.gathered = gathered;
    }

    /** By name. */
    NavigableMap<String, TopicCounts> topics() {
        return topics;
    }

    private Collection<TopicCounts> all() {
        List<TopicCounts> all = new ArrayList<>(topics.values());
        all.add(rest);
        return all;
    }

    TopicCounts sum() {
        return sum;
    }

    /** Whether there was a gathering at all. */
    boolean isKnown() {
        return complete;
    }

    /** Gathers anew if the last time is so long ago. */
    void refresh(long olderThanMillis) {
        long age = System.nanoTime() - endedNanos;
        boolean old = age >= TimeUnit.MILLISECONDS.toNanos(olderThanMillis) && age >= RESTS * workedNanos;
        if (!underWay && (old || !complete)) {
            underWay = true;
            new Gathering().step(null);
        }
    }

    private final class Gathering {
        private final NavigableMap<String, TopicCounts> found = new TreeMap<>();
        private TopicCounts beyond = NONE;
        private TopicCounts all = NONE;
        private long worked;

        void step(String after) {
            long began = System.nanoTime();
            store.topics("", after, TOPICS_A_STEP)
                    .compose(names -> store.counts(names)
                            .onSuccess(counts -> counts.forEach(this::add))
                            .map(names))
                    .onComplete(names -> {
                        long took = System.nanoTime() - began;
                        worked += took;
                        if (names.failed()) {
                            end(false);
                        } else if (names.result().size() < TOPICS_A_STEP) {
                            end(true);
                        } else {
                            rest(took, names.result());
                        }
                    });
        }

        /** As long as it has worked. */
        private void rest(long nanos, List<String> names) {
            vertx.setTimer(
                    Math.max(1, TimeUnit.NANOSECONDS.toMillis(nanos)), rested -> step(names.get(names.size() - 1)));
        }

        private void add(TopicCounts counts) {
            if (found.size() < MOST_TOPICS) {
                found.put(counts.topic(), counts);
            } else {
                beyond = beyond.plus(counts);
            }
            all = all.plus(counts);
        }

        private void end(boolean well) {
            underWay = false;
            endedNanos = System.nanoTime();
            if (well) {
                workedNanos = worked;
                topics = found;
                rest = beyond;
                sum = all;
                complete = true;
                gathered.accept(all());
            }
        }
    }
}
