package io.delayq.ready;

import io.delayq.bus.Demand;
import io.delayq.job.Callback;
import io.delayq.job.Delivery;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The demand for one topic: who wants how many, and which buckets may have some. Pure: it decides, the verticle acts.
 *
 * <p>Kept true: while demand is unmet, each bucket has since that demand arose been seen empty, or is to be asked, or is
 * being asked.
 */
final class Topic {
    /** Someone who takes jobs of the topic. */
    static final class Consumer {
        final String room;
        final long id;
        final boolean once;
        final boolean now;
        final List<Delivery> gathered = new ArrayList<>();
        private long granted;
        private long given;
        private long heardNanos;
        private long bytes;

        Consumer(Demand demand) {
            this.room = demand.room();
            this.id = demand.consumer();
            this.once = demand.once();
            this.now = demand.now();
            // it may have been forgotten meanwhile, and comes with a history
            this.given = demand.taken();
        }

        int room() {
            if (once && bytes >= MAX_BATCH_BYTES) {
                return 0;
            }
            return (int) Math.max(0, Math.min(Integer.MAX_VALUE, granted - given));
        }
    }

    /** A single batch ends when its bodies are longer than this. */
    private static final long MAX_BATCH_BYTES = 1 << 20;
    /** With many consumers an even share of a call would be a job or two, and a message costs more than these. */
    private static final int LEAST_SHARE = 25;

    final String name;
    /** The topic that the jobs belong to, also if this is about those of them that go by callback. */
    final String ofJobs;

    private final int buckets;
    private final Map<String, Consumer> consumers = new LinkedHashMap<>();
    private final BitSet toAsk = new BitSet();
    private final BitSet asking = new BitSet();
    private final BitSet hinted = new BitSet();
    /** Buckets that said they have more, or were not asked yet: worth waiting for before a single batch goes out. */
    private final BitSet promising = new BitSet();
    /** Buckets that said they have more. */
    private final BitSet more = new BitSet();
    /** Asked before someone came who trusts no earlier look: their answer is not the one it waits for. */
    private final BitSet recheck = new BitSet();
    /** Buckets whose Redis is away: nobody waits for these. */
    private final IntPredicate away;

    private long room;
    private int asked;
    private Turn turn = Turn.NONE;
    private int turnLeft;
    private int turnUsed;
    /** Something changed since the turn was asked for: what its answer says may be old. */
    private boolean turnHinted;

    /** Where a topic with a limit stands: it is reserved from only in a turn, one bucket after the other. */
    private enum Turn {
        /** The topic has no limit, as far as is known. */
        NONE,
        /** A turn is to be asked for. */
        WANTED,
        ASKED,
        OPEN,
        /** The limit is reached; a hint or a timer tells when to ask again. */
        BLOCKED
    }

    Topic(String name, int buckets) {
        this(name, buckets, bucket -> false);
    }

    Topic(String name, int buckets, IntPredicate away) {
        this.name = name;
        this.ofJobs = Callback.isJobsOf(name) ? Callback.topicOf(name) : name;
        this.buckets = buckets;
        this.away = away;
        toAsk.set(0, buckets);
        promising.set(0, buckets);
    }

    void demanded(Demand demand, long nowNanos) {
        Consumer consumer =
                consumers.computeIfAbsent(key(demand.room(), demand.consumer()), key -> new Consumer(demand));
        consumer.heardNanos = nowNanos;
        boolean isNew = consumer.granted == 0;
        room -= consumer.room();
        consumer.granted = demand.granted();
        room += consumer.room();
        if (consumer.now && isNew) {
            unblocked();
            // it is not told of what became ready before it came, so no bucket counts as seen
            for (int bucket = 0; bucket < buckets; bucket++) {
                mayHave(bucket);
                promising.set(bucket);
            }
            recheck.or(asking);
        }
    }

    /** @return what was gathered for it and not sent yet, to be released */
    List<Delivery> withdrawn(String room, long id) {
        Consumer gone = consumers.remove(key(room, id));
        if (gone == null) {
            return List.of();
        }
        this.room -= gone.room();
        return gone.gathered;
    }

    /** A batch came back: the consumer has no room until it says so again, or it would be refused again and again. */
    void refused(Consumer consumer, int jobs) {
        if (consumers.get(key(consumer.room, consumer.id)) == consumer) {
            room -= consumer.room();
            consumer.given -= jobs;
            consumer.granted = consumer.given;
        }
    }

    /** Consumers repeat themselves; one that has not for so long is gone. Returns what was gathered for such. */
    List<Delivery> forgetSilent(long nowNanos, long silentNanos) {
        List<Delivery> back = new ArrayList<>();
        for (Consumer consumer : consumers()) {
            if (nowNanos - consumer.heardNanos > silentNanos) {
                back.addAll(withdrawn(consumer.room, consumer.id));
            }
        }
        return back;
    }

    /** The bucket may have jobs. A hint during a question outlives its answer. */
    void mayHave(int bucket) {
        unblocked();
        toAsk.set(bucket);
        if (asking.get(bucket)) {
            hinted.set(bucket);
        }
    }

    /** Whether there is demand that a bucket may be asked to meet. */
    boolean hungry() {
        boolean mayAsk = turn == Turn.NONE || turn == Turn.OPEN && turnLeft > 0 && asking.isEmpty();
        return mayAsk && isUnmet();
    }

    private boolean isUnmet() {
        return room > asked && !toAsk.isEmpty();
    }

    boolean unused() {
        return consumers.isEmpty() && asking.isEmpty() && turn != Turn.ASKED && turn != Turn.OPEN;
    }

    /** A bucket said that the topic has a limit. */
    void limited() {
        if (turn == Turn.NONE) {
            turn = Turn.WANTED;
        }
    }

    boolean isLimited() {
        return turn != Turn.NONE;
    }

    boolean inTurn() {
        return turn == Turn.OPEN;
    }

    /** Whether a turn is to be asked for now; true once. */
    boolean asksForTurn() {
        if (turn != Turn.WANTED || !isUnmet()) {
            return false;
        }
        turn = Turn.ASKED;
        turnHinted = false;
        return true;
    }

    void turnBegan(int most) {
        turn = Turn.OPEN;
        turnLeft = most;
        turnUsed = 0;
    }

    /** Nothing may be reserved for now; who wants an answer at once gets an empty one. */
    void turnDenied() {
        turn = turnHinted ? Turn.WANTED : Turn.BLOCKED;
        promising.clear();
    }

    void unblocked() {
        turnHinted = true;
        if (turn == Turn.BLOCKED) {
            turn = Turn.WANTED;
        }
    }

    /** The limit was lifted. */
    void unlimited() {
        turn = Turn.NONE;
    }

    boolean isTurnOver() {
        return turn == Turn.OPEN && asking.isEmpty() && (turnLeft <= 0 || !isUnmet());
    }

    /** @return how many jobs were reserved in it */
    int turnEnded() {
        turn = Turn.WANTED;
        return turnUsed;
    }

    /** How many to ask the bucket for now, the rest of the demand being spread over the other buckets that may have some. */
    int want(int bucket, int most) {
        if (!toAsk.get(bucket) || asking.get(bucket)) {
            return 0;
        }
        long open = room - asked;
        if (open <= 0 || !hungry()) {
            return 0;
        }
        if (turn == Turn.OPEN) {
            return (int) Math.min(Math.min(most, open), turnLeft);
        }
        BitSet free = (BitSet) toAsk.clone();
        free.andNot(asking);
        long share = (open + free.cardinality() - 1) / free.cardinality();
        return (int) Math.min(most, share);
    }

    /** Whether the bucket said so the last time. */
    boolean hasMore(int bucket) {
        return more.get(bucket);
    }

    void asking(int bucket, int count) {
        asking.set(bucket);
        hinted.clear(bucket);
        asked += count;
    }

    /** @param reserved how many of {@code count} there were */
    void answered(int bucket, int count, int reserved, boolean more) {
        this.more.set(bucket, more);
        asking.clear(bucket);
        asked -= count;
        turnLeft -= reserved;
        turnUsed += reserved;
        if (!more && !hinted.get(bucket)) {
            toAsk.clear(bucket);
        }
        promising.set(bucket, more || recheck.get(bucket));
        recheck.clear(bucket);
    }

    /** A bucket owes an answer: others may meet the demand, and what nobody has room for in the end is given back. */
    void overdue(int count) {
        asked -= count;
    }

    /**
     * Gives each consumer with room its share; while there are more jobs, some consumers that have their turn a share
     * that is worth a message. Returns what nobody has room for.
     */
    List<Delivery> give(List<Delivery> jobs, boolean more) {
        int at = 0;
        while (at < jobs.size()) {
            List<Consumer> hungry =
                    consumers.values().stream().filter(c -> c.room() > 0).toList();
            if (hungry.isEmpty()) {
                break;
            }
            int share = Math.max(more ? LEAST_SHARE : 1, (jobs.size() - at) / hungry.size());
            for (Consumer consumer : hungry) {
                int count = Math.min(Math.min(share, consumer.room()), jobs.size() - at);
                room -= consumer.room();
                for (Delivery job : jobs.subList(at, at + count)) {
                    consumer.gathered.add(job);
                    consumer.bytes += job.body().length();
                }
                consumer.given += count;
                room += consumer.room();
                at += count;
                if (count > 0) {
                    toTheBack(consumer);
                }
            }
        }
        return jobs.subList(at, jobs.size());
    }

    /**
     * The consumers whose batch is to go out now, those that take one batch having left the topic. Such a one waits
     * until it is full or no bucket is known to have more.
     */
    List<Consumer> full() {
        boolean nothingPromised = nothingPromised();
        List<Consumer> out = new ArrayList<>();
        for (Consumer consumer : List.copyOf(consumers.values())) {
            boolean some = !consumer.gathered.isEmpty();
            if (!consumer.once) {
                if (some) {
                    out.add(consumer);
                }
            } else if (some && consumer.room() == 0 || nothingPromised && (some || consumer.now)) {
                consumers.remove(key(consumer.room, consumer.id));
                room -= consumer.room();
                out.add(consumer);
            }
        }
        return out;
    }

    private boolean nothingPromised() {
        // if all are away there is nothing to say
        return promising.isEmpty()
                || promising.stream().allMatch(away)
                        && !IntStream.range(0, buckets).allMatch(away);
    }

    /** Everyone, for the end. */
    List<Consumer> consumers() {
        return List.copyOf(consumers.values());
    }

    private void toTheBack(Consumer consumer) {
        String key = key(consumer.room, consumer.id);
        consumers.remove(key);
        consumers.put(key, consumer);
    }

    private static String key(String room, long id) {
        return room + "/" + id;
    }
}
