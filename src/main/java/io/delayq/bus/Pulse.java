package io.delayq.bus;

import io.delayq.bus.Said.OfTopic;
import io.delayq.http.JobJson;
import io.delayq.job.TopicCounts;
import io.delayq.ops.Meters;
import io.delayq.ops.Tally;
import io.delayq.redis.ServerList;
import io.delayq.redis.ServerList.Member;
import io.delayq.redis.Store;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.MessageConsumer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all servers do, for whoever listens to this one's events. Each server says with its heartbeats what it has done so
 * far, so that each of them hears it of all others. Owned by the heartbeat's event loop.
 */
final class Pulse {
    private static final Logger log = LoggerFactory.getLogger(Pulse.class);
    private static final long TICK_MILLIS = 250;
    private static final int TICKS_A_SAMPLE = 4;
    private static final int SAMPLES_A_TOPICS = 2;
    private static final long LISTENED_NANOS = 5_000_000_000L;
    private static final long RATE_NANOS = 1_800_000_000L;
    private static final long LATENESS_NANOS = 9_800_000_000L;
    private static final long STEP_MILLIS = 10_000;
    private static final int STEPS = 360;
    private static final long HISTORY_MILLIS = 1_000;
    private static final long HISTORY_READ_NANOS = 1_000_000_000L;
    /** Longer than the usual time between two scrapes. */
    private static final long SCRAPED_MILLIS = 120_000;

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
    /** As it was last read. */
    private List<Buffer> history = List.of();

    private Future<?> reading = Future.succeededFuture();
    private long readNanos = System.nanoTime() - HISTORY_READ_NANOS - 1;
    /** The topics as they were last told of. */
    private final Map<String, Told> told = new HashMap<>();

    private MessageConsumer<Object> consumer;
    private Map<String, Said> said = Map.of();
    private Sample last;
    private long clockAhead;
    private long heardNanos = System.nanoTime();
    private long listenedNanos = System.nanoTime() - LISTENED_NANOS;
    private long stepNanos = System.nanoTime();
    private boolean eldest;
    private boolean up = true;
    private boolean ticking;
    private long timer;
    private int ticks;
    private String toldLast = "";

    /** What was said of a topic. */
    private record Told(TopicCounts counts, OfTopic active) {
        Buffer json() {
            return JobJson.object()
                    .text("topic", counts.topic())
                    .number("delayed", counts.delayed())
                    .number("ready", counts.ready())
                    .number("reserved", counts.reserved())
                    .number("dead", counts.dead())
                    .number("done", counts.done())
                    .flag("paused", counts.paused())
                    .number("subscribers", active.subscribers())
                    .object("rates", rates -> rates.raw("pushed", Numbers.plain(active.pushed()))
                            .raw("delivered", Numbers.plain(active.delivered()))
                            .raw("acked", Numbers.plain(active.acked())))
                    .end();
        }
    }

    Pulse(Vertx vertx, Store store, Addresses addresses, Meters meters) {
        this.vertx = vertx;
        this.store = store;
        this.addresses = addresses;
        this.meters = meters;
        this.rates = new TopicRates(meters);
        this.depths = new Depths(vertx, store, meters::depths);
    }

    Future<?> start() {
        consumer = vertx.eventBus().consumer(addresses.pulse(), this::received);
        return consumer.completion();
    }

    /** Whoever listens is to go. */
    Future<Void> stop() {
        vertx.cancelTimer(timer);
        publish(Event.END);
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
        // one of them is enough to keep the history
        eldest = all.stream()
                .filter(member -> tallies.containsKey(member.id()))
                .min(Comparator.comparingLong(Member::started).thenComparing(Member::id))
                .filter(member -> member.id().equals(self.id()))
                .isPresent();
        if (isListened()) {
            depths.refresh(LIVE_DEPTH_MILLIS);
        } else if (eldest || !depths.isKnown() || meters.depthsWanted(SCRAPED_MILLIS)) {
            depths.refresh(STEP_MILLIS - ServerList.BEAT_MILLIS);
        }
        step();
    }

    /** Every ten seconds one for the history. */
    private void step() {
        long stepLength = TimeUnit.MILLISECONDS.toNanos(STEP_MILLIS);
        long over = heardNanos - stepNanos - stepLength;
        if (over >= 0 && depths.isKnown()) {
            stepNanos = over < stepLength ? stepNanos + stepLength : heardNanos;
            if (eldest) {
                Flow.Lately lately = flow.lately(LATENESS_NANOS);
                store.servers()
                        .remember(sample(lately, lately.done()).json(), STEP_MILLIS, STEPS)
                        .onFailure(error -> log.debug("history not kept", error));
            }
        }
    }

    private boolean isListened() {
        return System.nanoTime() - listenedNanos < LISTENED_NANOS;
    }

    private void received(Message<Object> message) {
        if (message.body() instanceof Listen listen) {
            listened();
            if (listen.begins()) {
                readHistory().onComplete(read -> message.reply(beginning(), Addresses.options()));
            }
        } else if (message.body() instanceof Post post) {
            message.reply(true, Addresses.options());
            post.letters().forEach(letter -> changed((TopicChanged) letter));
        }
    }

    private void listened() {
        listenedNanos = System.nanoTime();
        if (!ticking) {
            ticking = true;
            ticks = 0;
            told.clear();
            depths.refresh(LIVE_DEPTH_MILLIS);
            up = isUp();
            tick();
        }
    }

    private void changed(TopicChanged change) {
        if (ticking) {
            told.remove(change.topic());
            publish(Event.ofTopic(
                    "change",
                    change.topic(),
                    JobJson.object()
                            .text("kind", change.kind().name().toLowerCase(Locale.ROOT))
                            .text("topic", change.topic())
                            .end()));
        }
    }

    /** If it cannot be read, there is what was read before. Once for all who come at the same time. */
    private Future<?> readHistory() {
        long now = System.nanoTime();
        if (isUp() && now - readNanos > HISTORY_READ_NANOS) {
            readNanos = now;
            reading = store.servers()
                    .history(STEP_MILLIS, STEPS)
                    .timeout(HISTORY_MILLIS, TimeUnit.MILLISECONDS)
                    .onSuccess(read -> history = read);
        }
        return reading;
    }

    private Buffer beginning() {
        Buffer samples = JobJson.object()
                .number("step", STEP_MILLIS)
                .list("samples", history, Buffer::appendBuffer)
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

    /** The topics that changed, then those never told of; each time from the one on that was told last. */
    private void tellTopics() {
        Map<String, OfTopic> active = Said.byTopic(said.values());
        NavigableMap<String, TopicCounts> all = depths.topics();
        told.keySet().retainAll(all.keySet());
        List<Event.OfTopic> changed = new ArrayList<>();
        for (boolean known : new boolean[] {true, false}) {
            tell(all.tailMap(toldLast, false).values(), active, known, changed);
            tell(all.headMap(toldLast, true).values(), active, known, changed);
        }
        if (!changed.isEmpty()) {
            toldLast = changed.get(changed.size() - 1).topic();
            publish(Event.ofTopics("topics", changed));
        }
    }

    private void tell(
            Collection<TopicCounts> topics, Map<String, OfTopic> active, boolean known, List<Event.OfTopic> changed) {
        for (TopicCounts counts : topics) {
            if (changed.size() == MOST_TOPICS) {
                return;
            }
            String name = counts.topic();
            Told before = told.get(name);
            Told now = new Told(counts, active.getOrDefault(name, new OfTopic(name, 0, 0, 0, 0)));
            if (known == (before != null) && !now.equals(before)) {
                told.put(name, now);
                changed.add(new Event.OfTopic(name, now.json()));
            }
        }
    }

    private void publish(Event event) {
        vertx.eventBus().publish(addresses.events(), event, Addresses.options());
    }
}
