package io.delayq.redis;

import io.vertx.core.Future;
import io.vertx.redis.client.Response;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;

/** The topics of a number of buckets as a rebucket sees them: their names, settings and how many jobs they have. */
final class RebucketTopics {
    /** To set one aside takes up to forty commands. */
    private static final int TOPICS_A_CALL = 20;

    private static final int BUCKETS_AT_ONCE = 64;
    private static final int STATES = 5;

    private final RebucketCalls calls;
    private final Caller caller;
    private final int buckets;

    RebucketTopics(RebucketCalls calls, Caller caller, int buckets) {
        this.calls = calls;
        this.caller = caller;
        this.buckets = buckets;
    }

    /** @param settings as stored, empty if it has none */
    private record Named(String topic, byte[] settings) {
        boolean hasSettings() {
            return settings.length > 0;
        }
    }

    private record Page(long version, List<Named> topics) {}

    /** How many jobs there are, and of which topics. */
    static final class Count {
        final Set<String> topics = new HashSet<>();
        long jobs;
    }

    Future<Void> count(Count into) {
        return eachBucket(bucket -> pages(bucket, page -> {
            List<byte[]> names =
                    page.topics.stream().map(named -> Bytes.of(named.topic)).toList();
            page.topics.forEach(named -> into.topics.add(named.topic));
            return calls.call(caller, Script.COUNTS, bucket, names).map(answer -> {
                for (int i = 0; i < answer.size(); i++) {
                    // the settings, then a number for each state
                    into.jobs += i % (STATES + 1) == 0 ? 0 : answer.get(i).toLong();
                }
                return null;
            });
        }));
    }

    /** What these buckets have is set aside; the caller is that of what was. */
    Future<Void> setAside() {
        return eachBucket(bucket ->
                TopicStore.again(() -> calls.call(caller, Script.ASIDE, bucket, List.of(Bytes.of(TOPICS_A_CALL)))
                        .map(answer -> answer.get(0).toInteger() > 0)));
    }

    /**
     * Gives topics and settings to new buckets. Those of bucket 0 are the truth; the others only know of topics without
     * settings that it does not have.
     */
    Future<Void> adoptedBy(RebucketTopics target) {
        return pages(0, page -> target.adopt(0, page.version, page.topics)
                        .compose(done -> target.adoptElsewhere(
                                page.version,
                                page.topics.stream().filter(Named::hasSettings).toList())))
                .compose(done -> eachBucket(bucket -> pages(
                        bucket,
                        page -> target.adopt(
                                0,
                                0,
                                page.topics.stream()
                                        .filter(named -> !named.hasSettings())
                                        .toList()))));
    }

    private Future<Void> adoptElsewhere(long version, List<Named> topics) {
        return eachBucket(bucket -> bucket == 0 ? Future.succeededFuture() : adopt(bucket, version, topics));
    }

    private Future<Void> adopt(int bucket, long version, List<Named> topics) {
        List<byte[]> args = new ArrayList<>(List.of(Bytes.of(version)));
        topics.forEach(named -> args.addAll(List.of(Bytes.of(named.topic), named.settings)));
        return calls.call(caller, Script.ADOPT, bucket, args).mapEmpty();
    }

    /** The first topics of each bucket. */
    Future<Set<String>> first() {
        Set<String> found = new HashSet<>();
        return eachBucket(bucket -> page(bucket, "-")
                        .onSuccess(page -> page.topics.forEach(named -> found.add(named.topic)))
                        .mapEmpty())
                .map(done -> found);
    }

    /** Removes what is left in buckets without topics: the version of their settings. */
    Future<Void> clear() {
        return eachBucket(bucket -> calls.call(caller, Script.LEAVE, bucket, List.of(Bytes.of(""), Bytes.of("jobs")))
                .mapEmpty());
    }

    private Future<Void> pages(int bucket, Function<Page, Future<Void>> work) {
        String[] from = {"-"};
        return TopicStore.again(() -> page(bucket, from[0]).compose(page -> {
            int count = page.topics.size();
            if (count > 0) {
                from[0] = "(" + page.topics.get(count - 1).topic;
            }
            return work.apply(page).map(done -> count == TOPICS_A_CALL);
        }));
    }

    private Future<Page> page(int bucket, String from) {
        List<byte[]> range = List.of(Bytes.of(from), Bytes.of("+"), Bytes.of(TOPICS_A_CALL));
        return calls.call(caller, Script.NAMES, bucket, range).map(RebucketTopics::page);
    }

    private static Page page(Response answer) {
        List<Named> topics = new ArrayList<>();
        for (int i = 1; i < answer.size(); i += 2) {
            topics.add(new Named(answer.get(i).toString(), answer.get(i + 1).toBytes()));
        }
        return new Page(answer.get(0).toLong(), topics);
    }

    private Future<Void> eachBucket(IntFunction<Future<Void>> work) {
        return RebucketCalls.each(buckets, BUCKETS_AT_ONCE, work);
    }
}
