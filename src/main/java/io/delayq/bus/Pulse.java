package io.delayq.bus;

import io.delayq.bus.Said.OfTopic;
import io.delayq.http.JobJson;
import io.delayq.job.TopicCounts;
import io.delayq.ops.Meters;
import io.delayq.ops.Tally;
import io.delayq.redis.ServerList.Member;
import io.delayq.redis.Store;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * What all servers do, for whoever listens to this one's events. Each server says with its heartbeats what it has done so
 * far, so that each of them hears it of all others. Owned by the heartbeat's event loop.
 */
final class Pulse {
    private static final long TICK_MILLIS = 250;
    private static final int TICKS_A_SAMPLE = 4;
    private static final int SAMPLES_A_TOPICS = 2;
    private static final long LISTENED_NANOS = 5_000_000_000L;
    private static final long RATE_NANOS = 1_800_000_000L;
    private static final long LATENESS_NANOS = 9_800_000_000L;
    private static final long STEP_MILLIS = 10_000;
    private static final int STEPS = 360;
    private static final long LIVE_DEPTH_MILLIS = 900;
    /** One that does not answer for so long is away, even if its connection stands. */
    private static final long SILENCE_NANOS = 2_500_000_000L;

    private static final int MOST_TOPICS = 200;
    /** All servers together say so much of topics. */
    private static final int TOPICS_TEXT = 16_384;

    private final Vertx vertx;
    private final Store store;
    private final Addresses addresses;
    private final Meters meters;
    private final Flow flow = new Flow();
    private final TopicRates rates;
    private final Depths depths;
    private final Deque<Buffer> history = new ArrayDeque<>();
    /** The topics as they were last told of; those that were told longest ago come first. */
    private final Map<String, Buffer> told = new HashMap<>();

    private MessageConsumer<Object> consumer;
    private Map<String, Said> said = Map.of();
    private Sample last;
    private long clockAhead;
    private long heardNanos = System.nanoTime();
    private long listenedNanos = System.nanoTime() - LISTENED_NANOS;
    private long stepAt;
    private boolean up = true;
    private boolean ticking;
    private long timer;
    private int ticks;
    private String toldLast = "";

    Pulse(Vertx vertx, Store store, Addresses addresses, Meters meters) {
        this.vertx = vertx;
        this.store = store;
        this.addresses = addresses;
        this.meters = meters;
        this.rates = new TopicRates(meters);
        this.depths = new Depths(vertx, store, () -> meters.depths(topics()));
    }

    Future<?> start() {
        consumer = vertx.eventBus().consumer(addresses.pulse(), this::received);
        return consumer.completion();
    }

    /** Whoever listens is to go. */
    Future<Void> stop() {
        vertx.cancelTimer(timer);
        publish(new Event(null));
        return consumer.unregister();
    }

    /** What this server says with its next heartbeat. */
    String says() {
        boolean anyone = isListened() || said.values().stream().anyMatch(Said::watching);
        long now = System.nanoTime();
        List<OfTopic> topics = anyone ? rates.since(now) : rates.none();
        return new Said(meters.tally(), isListened(), topics).text(TOPICS_TEXT / Math.max(1, said.size()));
    }

    /** What all servers have said by now. */
    void heard(List<Member> all, Member self) {
        heardNanos = System.nanoTime();
        clockAhead = self.heard() - System.currentTimeMillis();
        Map<String, Said> now = new HashMap<>();
        Map<String, Tally> tallies = new HashMap<>();
        all.forEach(member -> {
            Said one = Said.read(member.said());
            now.put(member.id(), one);
            if (one != Said.NOTHING) {
                tallies.put(member.id(), one.tally());
            }
        });
        said = now;
        flow.heard(tallies, heardNanos);
        depths.refresh(isListened() ? LIVE_DEPTH_MILLIS : STEP_MILLIS);
        step();
    }

    /** Every ten seconds one for the history. */
    private void step() {
        long at = System.currentTimeMillis() + clockAhead;
        if (stepAt == 0) {
            stepAt = at;
        }
        if (at - stepAt >= STEP_MILLIS && depths.isKnown()) {
            stepAt = at - stepAt < 2 * STEP_MILLIS ? stepAt + STEP_MILLIS : at;
            Flow.Lately lately = flow.lately(LATENESS_NANOS);
            history.add(sample(lately, lately.done()).json());
            if (history.size() > STEPS) {
                history.poll();
            }
        }
    }

    private boolean isListened() {
        return System.nanoTime() - listenedNanos < LISTENED_NANOS;
    }

    private void received(Message<Object> message) {
        if (message.body() instanceof Listen listen) {
            listenedNanos = System.nanoTime();
            if (!ticking) {
                ticking = true;
                ticks = 0;
                told.clear();
                up = isUp();
                tick();
            }
            message.reply(listen.begins() ? beginning() : Boolean.TRUE, Addresses.options());
        } else {
            Courier.arrived(message);
            if (message.body() instanceof TopicChanged change && ticking) {
                told.remove(change.topic());
                publish(Event.of(
                        "change",
                        JobJson.object()
                                .text("kind", change.kind())
                                .text("topic", change.topic())
                                .end()));
            }
        }
    }

    private Buffer beginning() {
        Buffer samples = JobJson.object()
                .number("step", STEP_MILLIS)
                .list("samples", List.copyOf(history), Buffer::appendBuffer)
                .end();
        return Event.text("history", samples).appendBuffer(Event.text("sample", now().json()));
    }

    private void tick() {
        timer = vertx.setTimer(TICK_MILLIS, fired -> {
            ticking = isListened();
            if (ticking) {
                beat();
                tick();
            }
        });
    }

    private void beat() {
        boolean isUp = isUp();
        if (isUp != up) {
            up = isUp;
            publish(Event.of("redis", JobJson.object().flag("up", up).end()));
        }
        if (++ticks % TICKS_A_SAMPLE == 0) {
            publish(Event.of("sample", now().json()));
        }
        if (ticks % (TICKS_A_SAMPLE * SAMPLES_A_TOPICS) == 0) {
            tellTopics();
        }
    }

    private boolean isUp() {
        return System.nanoTime() - heardNanos < SILENCE_NANOS
                && IntStream.range(0, store.buckets()).allMatch(store::isUp);
    }

    private Sample now() {
        if (isUp() || last == null) {
            last = sample(flow.lately(RATE_NANOS), flow.lately(LATENESS_NANOS).done());
            return last;
        }
        return new Sample(
                System.currentTimeMillis() + clockAhead, last.servers(), false, last.done(), last.late(), last.depth());
    }

    private Sample sample(Flow.Lately done, Tally late) {
        return new Sample(System.currentTimeMillis() + clockAhead, said.size(), isUp(), done, late, depths.sum());
    }

    /** The topics that changed, those first that come after the one that was told last. */
    private void tellTopics() {
        Map<String, OfTopic> active = Said.byTopic(said.values());
        TreeMap<String, TopicCounts> all = new TreeMap<>(depths.topics());
        told.keySet().retainAll(all.keySet());
        List<TopicCounts> order = new ArrayList<>(all.tailMap(toldLast, false).values());
        order.addAll(all.headMap(toldLast, true).values());
        List<Buffer> changed = new ArrayList<>();
        for (TopicCounts counts : order) {
            Buffer json = topic(counts, active.get(counts.topic()));
            if (!json.equals(told.put(counts.topic(), json))) {
                changed.add(json);
                toldLast = counts.topic();
            }
            if (changed.size() == MOST_TOPICS) {
                break;
            }
        }
        if (!changed.isEmpty()) {
            publish(Event.of(
                    "topics",
                    JobJson.object()
                            .list("topics", changed, Buffer::appendBuffer)
                            .end()));
        }
    }

    private static Buffer topic(TopicCounts counts, OfTopic active) {
        OfTopic now = active == null ? new OfTopic(counts.topic(), 0, 0, 0, 0) : active;
        return JobJson.object()
                .text("topic", counts.topic())
                .number("delayed", counts.delayed())
                .number("ready", counts.ready())
                .number("reserved", counts.reserved())
                .number("dead", counts.dead())
                .number("done", counts.done())
                .flag("paused", counts.paused())
                .number("subscribers", now.subscribers())
                .object("rates", rates -> rates.raw("pushed", Numbers.plain(now.pushed()))
                        .raw("delivered", Numbers.plain(now.delivered()))
                        .raw("acked", Numbers.plain(now.acked())))
                .end();
    }

    private Collection<TopicCounts> topics() {
        return depths.topics().values();
    }

    private void publish(Event event) {
        vertx.eventBus().publish(addresses.events(), event, Addresses.options());
    }
}
