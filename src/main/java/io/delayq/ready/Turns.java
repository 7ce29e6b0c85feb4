package io.delayq.ready;

import io.delayq.job.TopicCounts;
import io.delayq.redis.Store;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Topics with a limit ({@code maxInFlight}, {@code ratePerSecond}): whoever reserves from one first takes its turn,
 * among all processes, and then finds out how many it may reserve. Owned by the dispatcher's event loop.
 */
final class Turns {
    /** How soon to ask again while another process has its turn; turns are short. */
    private static final long OTHERS_TURN_MILLIS = 10;

    private static final long PAUSE_AFTER_FAILURE_MILLIS = 100;

    private final Vertx vertx;
    private final Store store;
    private final int most;
    private final Consumer<Future<?>> track;
    private final Consumer<Topic> turned;
    private final Set<Topic> limited = new LinkedHashSet<>();

    /**
     * What a turn is good for.
     *
     * @param waitMillis until it is worth asking again; 0: a hint will tell
     */
    private record Room(boolean isLimited, int jobs, long waitMillis) {}

    /**
     * @param most jobs in a turn
     * @param track work under way
     * @param turned told when a turn has begun, or could not be had
     */
    Turns(Vertx vertx, Store store, int most, Consumer<Future<?>> track, Consumer<Topic> turned) {
        this.vertx = vertx;
        this.store = store;
        this.most = most;
        this.track = track;
        this.turned = turned;
    }

    /** A bucket said that the topic has a limit. */
    void learn(Topic topic) {
        topic.limited();
        limited.add(topic);
    }

    void forget(Topic topic) {
        limited.remove(topic);
    }

    /** Asks for a turn wherever one is wanted. */
    void ask() {
        for (Topic topic : List.copyOf(limited)) {
            if (topic.asksForTurn()) {
                begin(topic);
            }
        }
    }

    private void begin(Topic topic) {
        track.accept(store.beginTurn(topic.ofJobs)
                .compose(turn -> turn.granted() && turn.maxInFlight() != null
                        ? store.counts(List.of(topic.ofJobs)).map(counts -> room(turn, counts))
                        : Future.succeededFuture(room(turn, List.of())))
                .onSuccess(room -> began(topic, room))
                .onFailure(error -> block(topic, PAUSE_AFTER_FAILURE_MILLIS))
                .onComplete(done -> turned.accept(topic)));
    }

    private Room room(Store.Turn turn, List<TopicCounts> counts) {
        if (!turn.isLimited() || !turn.granted()) {
            return new Room(turn.isLimited(), 0, Math.min(turn.waitMillis(), OTHERS_TURN_MILLIS));
        }
        long jobs = turn.allowed() == null ? most : Math.min(turn.allowed(), most);
        if (turn.maxInFlight() != null) {
            long reserved = counts.isEmpty() ? 0 : counts.get(0).reserved();
            jobs = Math.max(0, Math.min(jobs, turn.maxInFlight() - reserved));
        }
        return new Room(true, (int) jobs, turn.waitMillis());
    }

    private void began(Topic topic, Room room) {
        topic.turnBegan(room.jobs);
        if (room.jobs > 0) {
            return;
        }
        end(topic);
        if (room.isLimited) {
            block(topic, room.waitMillis);
        } else {
            topic.unlimited();
            limited.remove(topic);
        }
    }

    /** If it cannot be told, the turn is over by itself after a while. */
    void end(Topic topic) {
        track.accept(store.endTurn(topic.ofJobs, topic.turnEnded()));
    }

    private void block(Topic topic, long waitMillis) {
        topic.turnDenied();
        if (waitMillis > 0) {
            vertx.setTimer(waitMillis, timer -> {
                topic.unblocked();
                turned.accept(topic);
            });
        }
    }
}
