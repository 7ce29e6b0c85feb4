package io.delayq.ops;

import io.delayq.job.TopicCounts;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.CountAtBucket;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** Every metric there is, by name. Shared by all verticles; safe on any thread. */
public final class Meters {
    private static final int MOST_TOPICS = 200;
    private static final String OTHER = "_other";
    private static final Map<String, ToLongFunction<TopicCounts>> STATES = Map.of(
            "delayed", TopicCounts::delayed,
            "ready", TopicCounts::ready,
            "reserved", TopicCounts::reserved,
            "dead", TopicCounts::dead,
            "done", TopicCounts::done);

    private final MeterRegistry registry;
    private final Map<String, Counters> topics = new ConcurrentHashMap<>();
    private final Map<String, OfScript> scripts = new ConcurrentHashMap<>();
    private final Map<String, Timer> callbacks = new ConcurrentHashMap<>();
    private final Map<Integer, Counter> answers = new ConcurrentHashMap<>();
    private final Map<String, Integer> subscribers = new ConcurrentHashMap<>();
    private final Set<String> topicsWithDepth = ConcurrentHashMap.newKeySet();
    private final Timer lateness;
    private volatile Map<String, TopicCounts> depths = Map.of();
    private volatile long depthsReadNanos = System.nanoTime() - Long.MAX_VALUE / 2;

    private record Counters(
            Counter pushed, Counter delivered, Counter acked, Counter retried, Counter dead, Counter expired) {}

    private record OfScript(Timer time, DistributionSummary jobs) {}

    /** How many jobs of a topic this server has had to do with. */
    public record OfTopic(double pushed, double delivered, double acked) {
        public static final OfTopic NONE = new OfTopic(0, 0, 0);
    }

    public Meters(MeterRegistry registry) {
        this.registry = registry;
        this.lateness = Timer.builder("delayq.lateness")
                .description("From a job's due time to its hand-over to a consumer")
                .serviceLevelObjectives(millis(Tally.LATENESS_MILLIS))
                .register(registry);
        // from the start on, so that the first failure is seen as a change
        List.of("done", "again", "dead").forEach(this::callbacks);
        List.of(2, 4, 5).forEach(this::answers);
    }

    public void pushed(String topic, int jobs) {
        of(topic).pushed.increment(jobs);
    }

    public void acked(String topic, int jobs) {
        of(topic).acked.increment(jobs);
    }

    public void delivered(String topic, long latenessMillis) {
        of(topic).delivered.increment();
        lateness.record(Math.max(0, latenessMillis), TimeUnit.MILLISECONDS);
    }

    /**
     * What became of jobs that were not acknowledged.
     *
     * @param retried an attempt has failed, and they run again
     * @param dead for whatever reason
     * @param expired they are gone, for their ttl was over
     */
    public void ended(String topic, long retried, long dead, long expired) {
        Counters counters = of(topic);
        counters.retried.increment(retried);
        counters.dead.increment(dead);
        counters.expired.increment(expired);
    }

    /** So many subscribers of a topic have come or, if negative, gone. */
    public void subscribed(String topic, int change) {
        subscribers.compute(topic, (name, count) -> {
            int now = (count == null ? 0 : count) + change;
            return now <= 0 ? null : now;
        });
    }

    /** How many subscribers of a topic this process has. */
    public int subscribers(String topic) {
        return subscribers.getOrDefault(topic, 0);
    }

    /** The same of all topics that have some. */
    public Map<String, Integer> subscribers() {
        return Map.copyOf(subscribers);
    }

    /** What this server has done so far. Some work: not for every job. */
    public Tally tally() {
        long[] counts = new long[Tally.NAMES.size()];
        for (Counters topic : topics.values()) {
            List<Counter> all =
                    List.of(topic.pushed, topic.delivered, topic.acked, topic.retried, topic.dead, topic.expired);
            for (int i = 0; i < counts.length; i++) {
                counts[i] += (long) all.get(i).count();
            }
        }
        return Tally.of(counts, latenessCounts());
    }

    private long[] latenessCounts() {
        long[] bounds = Tally.LATENESS_MILLIS;
        long[] counts = new long[bounds.length + 1];
        Map<Long, Long> upTo = new HashMap<>();
        for (CountAtBucket bucket : lateness.takeSnapshot().histogramCounts()) {
            upTo.put(Math.round(bucket.bucket(TimeUnit.MILLISECONDS)), (long) bucket.count());
        }
        long before = 0;
        for (int i = 0; i < bounds.length; i++) {
            long all = upTo.getOrDefault(bounds[i], before);
            counts[i] = all - before;
            before = all;
        }
        counts[bounds.length] = Math.max(0, lateness.count() - before);
        return counts;
    }

    /** The same of those topics that are counted singly. */
    public Map<String, OfTopic> topics() {
        Map<String, OfTopic> all = new HashMap<>();
        topics.forEach((topic, counters) -> {
            if (!topic.equals(OTHER)) {
                all.put(
                        topic,
                        new OfTopic(counters.pushed.count(), counters.delivered.count(), counters.acked.count()));
            }
        });
        return all;
    }

    /**
     * How many jobs stand in each state, as it was just found out; of the first topics singly, of all others together.
     *
     * @param counted one without a name is about several topics
     */
    public void depths(Collection<TopicCounts> counted) {
        Map<String, TopicCounts> now = new HashMap<>();
        for (TopicCounts counts : counted) {
            String topic = counts.topic();
            if (topic.isEmpty() || !topicsWithDepth.contains(topic) && topicsWithDepth.size() >= MOST_TOPICS) {
                topic = OTHER;
            }
            if (topic.equals(OTHER) && counts.equals(TopicCounts.none(counts.topic()))) {
                continue;
            }
            if (topicsWithDepth.add(topic)) {
                registerDepth(topic);
            }
            now.merge(topic, counts, TopicCounts::plus);
        }
        depths = now;
    }

    private void registerDepth(String topic) {
        STATES.forEach((state, count) -> Gauge.builder("delayq.depth", () -> {
                    depthsReadNanos = System.nanoTime();
                    TopicCounts counts = depths.get(topic);
                    return counts == null ? 0 : count.applyAsLong(counts);
                })
                .description("Jobs of the topic in the state, on all servers; every server says the same")
                .tag("topic", topic)
                .tag("state", state)
                .strongReference(true)
                .register(registry));
    }

    /** Whether anyone has looked at the depths lately: then it is worth to keep them fresh. */
    public boolean depthsWanted(long withinMillis) {
        return System.nanoTime() - depthsReadNanos < TimeUnit.MILLISECONDS.toNanos(withinMillis);
    }

    public void redisCall(String script, long nanos, int jobs) {
        OfScript meters = scripts.computeIfAbsent(
                script,
                name -> new OfScript(
                        Timer.builder("delayq.redis.call")
                                .description("From sending a script to its answer, repetitions included")
                                .tag("script", name)
                                .serviceLevelObjectives(millis(1, 2, 5, 10, 50, 100, 1_000))
                                .register(registry),
                        DistributionSummary.builder("delayq.redis.batch")
                                .description("Jobs in one script call")
                                .tag("script", name)
                                .serviceLevelObjectives(1, 10, 50, 100, 250)
                                .register(registry)));
        meters.time.record(nanos, TimeUnit.NANOSECONDS);
        meters.jobs.record(jobs);
    }

    /** An attempt to call a job has ended. */
    public void callback(String outcome, long nanos) {
        callbacks(outcome).record(nanos, TimeUnit.NANOSECONDS);
    }

    private Timer callbacks(String outcome) {
        return callbacks.computeIfAbsent(outcome, name -> Timer.builder("delayq.callbacks")
                .description("Attempts to call a job: done, again (it failed), dead (nothing is to come there)")
                .tag("outcome", name)
                .serviceLevelObjectives(millis(10, 100, 1_000, 10_000, 60_000))
                .register(registry));
    }

    /** A request was answered with this status. */
    public void answered(int status) {
        answers(status / 100).increment();
    }

    private Counter answers(int group) {
        return answers.computeIfAbsent(group, first -> Counter.builder("delayq.http.requests")
                .description("Requests answered, by the first digit of their status")
                .tag("status", first + "xx")
                .register(registry));
    }

    /** A queue's length, read whenever metrics are asked for. */
    public void queue(String queue, String instance, Supplier<Number> length) {
        Gauge.builder("delayq.queue", length)
                .description("Requests waiting")
                .tag("queue", queue)
                .tag("instance", instance)
                .strongReference(true)
                .register(registry);
    }

    /** The WebSocket connections of a gateway, and the jobs that they hold. */
    public void sessions(String instance, Supplier<Number> sessions, Supplier<Number> unsettled) {
        ofVerticle("delayq.sessions", "WebSocket connections", instance, sessions);
        ofVerticle("delayq.unsettled", "Jobs that WebSocket clients have and have not settled", instance, unsettled);
    }

    /** How late the event loop of a verticle came to its timers lately, at most. */
    public void loopLag(String instance, Supplier<Number> seconds) {
        ofVerticle(
                "delayq.eventloop.lag.seconds",
                "How late the verticle's event loop came to its timers, at most, in the last 15 to 30 s",
                instance,
                seconds);
    }

    /** What a server knows of the others, and of Redis. */
    public void servers(Supplier<Number> servers, Supplier<Number> scanners, Supplier<Number> redisUp) {
        gauge("delayq.servers", "Servers that live, as this one knows", servers);
        gauge("delayq.scanners", "Servers with the role scanner that live, as this one knows", scanners);
        gauge("delayq.redis.up", "Whether Redis answers this server", redisUp);
    }

    /** How many buckets a scanner has of all that its server could have. */
    public void scanning(String instance, Supplier<Number> buckets) {
        Gauge.builder("delayq.buckets.scanned", buckets)
                .description("Buckets whose scanning is this server's")
                .tag("instance", instance)
                .strongReference(true)
                .register(registry);
    }

    /** Not called instance: Prometheus has a label of that name of its own. */
    private void ofVerticle(String name, String description, String verticle, Supplier<Number> value) {
        Gauge.builder(name, value)
                .description(description)
                .tag("verticle", verticle)
                .strongReference(true)
                .register(registry);
    }

    private void gauge(String name, String description, Supplier<Number> value) {
        Gauge.builder(name, value)
                .description(description)
                .strongReference(true)
                .register(registry);
    }

    /** The first topics by name, all further ones together, so that clients cannot make metrics without end. */
    private Counters of(String topic) {
        Counters known = topics.get(topic);
        if (known != null) {
            return known;
        }
        return topics.computeIfAbsent(topics.size() < MOST_TOPICS ? topic : OTHER, this::register);
    }

    private Counters register(String topic) {
        return new Counters(
                counter("delayq.jobs.pushed", "Jobs accepted", topic),
                counter("delayq.jobs.delivered", "Deliveries handed to a consumer", topic),
                counter("delayq.jobs.acked", "Jobs acknowledged", topic),
                counter("delayq.jobs.retried", "Attempts that failed, after which the job runs again", topic),
                counter("delayq.jobs.dead", "Jobs that died", topic),
                counter("delayq.jobs.expired", "Jobs that are gone because their ttl ended", topic));
    }

    private Counter counter(String name, String description, String topic) {
        return Counter.builder(name)
                .description(description)
                .tag("topic", topic)
                .register(registry);
    }

    private static Duration[] millis(long... values) {
        Duration[] durations = new Duration[values.length];
        for (int i = 0; i < values.length; i++) {
            durations[i] = Duration.ofMillis(values[i]);
        }
        return durations;
    }
}
