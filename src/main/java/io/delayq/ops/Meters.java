package io.delayq.ops;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Every metric there is, by name. Shared by all verticles; safe on any thread. */
public final class Meters {
    private static final int MOST_TOPICS = 200;
    private static final String OTHER = "_other";

    private final MeterRegistry registry;
    private final Map<String, OfTopic> topics = new ConcurrentHashMap<>();
    private final Map<String, OfScript> scripts = new ConcurrentHashMap<>();
    private final Map<String, Timer> callbacks = new ConcurrentHashMap<>();
    private final Map<String, Integer> subscribers = new ConcurrentHashMap<>();
    private final Timer lateness;

    private record OfTopic(Counter pushed, Counter delivered, Counter acked) {}

    private record OfScript(Timer time, DistributionSummary jobs) {}

    public Meters(MeterRegistry registry) {
        this.registry = registry;
        this.lateness = Timer.builder("delayq.lateness")
                .description("From a job's due time to its hand-over to a consumer")
                .serviceLevelObjectives(millis(1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, 60_000))
                .register(registry);
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
        callbacks
                .computeIfAbsent(outcome, name -> Timer.builder("delayq.callbacks")
                        .description("Attempts to call a job: done, again (it failed), dead (nothing is to come there)")
                        .tag("outcome", name)
                        .serviceLevelObjectives(millis(10, 100, 1_000, 10_000, 60_000))
                        .register(registry))
                .record(nanos, TimeUnit.NANOSECONDS);
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

    /** How many buckets a scanner has of all that its server could have. */
    public void scanning(String instance, Supplier<Number> buckets) {
        Gauge.builder("delayq.buckets.scanned", buckets)
                .description("Buckets whose scanning is this server's")
                .tag("instance", instance)
                .strongReference(true)
                .register(registry);
    }

    /** The first topics by name, all further ones together, so that clients cannot make metrics without end. */
    private OfTopic of(String topic) {
        OfTopic known = topics.get(topic);
        if (known != null) {
            return known;
        }
        return topics.computeIfAbsent(topics.size() < MOST_TOPICS ? topic : OTHER, this::register);
    }

    private OfTopic register(String topic) {
        return new OfTopic(
                counter("delayq.jobs.pushed", "Jobs accepted", topic),
                counter("delayq.jobs.delivered", "Deliveries handed to a consumer", topic),
                counter("delayq.jobs.acked", "Jobs acknowledged", topic));
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
