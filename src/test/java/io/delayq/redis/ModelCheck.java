package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.delayq.job.Callback;
import io.delayq.job.Delivery;
import io.delayq.job.Forecast;
import io.delayq.job.JobPage;
import io.delayq.job.JobQuery;
import io.delayq.job.JobState;
import io.delayq.job.JobView;
import io.delayq.job.TopicCounts;
import io.delayq.job.TopicSettings;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/** Compares all that the store tells with the model. */
final class ModelCheck {
    private static final int RECENT = 6;
    private static final int MOST_PAGES = 2_000;
    private static final long STEP = 1_000;
    private static final long WINDOW = 3_500;

    private final StoreHarness store;
    private final QueueModel model;
    private final List<Delivery> seen;
    private final Random random;

    ModelCheck(StoreHarness store, QueueModel model, List<Delivery> seen, Random random) {
        this.store = store;
        this.model = model;
        this.seen = seen;
        this.random = random;
    }

    /** All is asked for at once, and then compared. */
    void all(List<String> topics, Collection<String> ids) {
        List<Runnable> comparisons = new ArrayList<>();
        topics.forEach(topic -> comparisons.add(topic(topic, ids)));
        comparisons.add(buckets());
        comparisons.forEach(Runnable::run);
    }

    private Runnable topic(String topic, Collection<String> ids) {
        List<CompletableFuture<JobView>> views =
                ids.stream().map(id -> store.async(s -> s.get(topic, id))).toList();
        CompletableFuture<List<TopicCounts>> counts = store.async(s -> s.counts(List.of(topic)));
        CompletableFuture<TopicSettings> settings = store.async(s -> s.topics().settings(topic));
        CompletableFuture<Forecast> forecast = store.async(s -> s.topics().forecast(topic, WINDOW, STEP));
        Runnable list = list(topic);
        return () -> {
            list.run();
            int at = 0;
            for (String id : ids) {
                view(model.job(topic, id), views.get(at++).join(), topic + "/" + id);
            }
            boolean exists = model.topics().contains(topic);
            assertEquals(exists ? List.of(model.counts(topic)) : List.of(), counts.join(), "counts");
            assertEquals(exists ? model.settings(topic) : null, settings.join(), "settings of " + topic);
            forecast(topic, forecast.join());
        };
    }

    private void view(ModelJob job, JobView view, String name) {
        if (job == null) {
            assertNull(view, () -> "get of " + name);
            return;
        }
        assertTrue(view != null, () -> "get of " + job + " finds nothing");
        listed(job, view);
        List<String> outcomes = new ArrayList<>();
        if (view.log() != null) {
            for (JsonNode entry : JobRecord.parse(Bytes.of(view.log()))) {
                outcomes.add(entry.get("attempt").asInt() + " "
                        + entry.get("outcome").asText());
            }
        }
        assertEquals(job.log, outcomes, () -> "log of " + job);
    }

    /** What get and list have in common. */
    private void listed(ModelJob job, JobView view) {
        assertEquals(job.state, view.state(), () -> "state of " + job);
        assertEquals(job.due, view.due(), () -> "due time of " + job);
        assertEquals(job.created, view.created(), () -> "creation of " + job);
        assertEquals(job.attempts, view.attempts(), () -> "attempts of " + job);
        assertEquals(model.ttr(job), view.ttr(), () -> "ttr of " + job);
        assertEquals(model.retry(job), view.retry(), () -> "retry of " + job);
        assertEquals(job.priority, view.options().priorityOrDefault(), () -> "priority of " + job);
        assertEquals(job.ttl, view.options().ttl(), () -> "ttl of " + job);
        assertEquals(job.options.group(), view.options().group(), () -> "group of " + job);
        assertEquals(job.options.callback(), view.options().callback(), () -> "callback of " + job);
        assertEquals(job.state == JobState.RESERVED ? job.deadline : null, view.deadline(), () -> "deadline of " + job);
        assertEquals(job.lastError, view.lastError(), () -> "last error of " + job);
    }

    private Runnable list(String topic) {
        JobState state = random.nextInt(3) == 0 ? null : JobState.values()[random.nextInt(JobState.values().length)];
        String prefix = random.nextInt(3) == 0 ? "a" : null;
        Long from = random.nextInt(3) == 0 ? model.now - 2_000 : null;
        Long to = random.nextInt(3) == 0 ? model.now + random.nextInt(3_000) : null;
        JobQuery query =
                new JobQuery(topic, state, 1 + random.nextInt(4), null, prefix, from, to, random.nextBoolean());
        CompletableFuture<List<JobPage>> pages = pages(store, query, new ArrayList<>());
        return () -> list(query, jobs(query, pages));
    }

    private void list(JobQuery query, List<JobView> found) {
        TreeSet<String> expected = new TreeSet<>();
        for (ModelJob job : model.jobs(job -> job.topic.equals(query.topic())
                && (query.state() == null || job.state == query.state())
                && (query.idPrefix() == null || job.id.startsWith(query.idPrefix()))
                && (query.from() == null || job.due >= query.from())
                && (query.to() == null || job.due < query.to()))) {
            expected.add(job.id);
        }
        List<String> ids = found.stream().map(JobView::id).sorted().toList();
        assertEquals(List.copyOf(expected), ids, "list of " + query);
        found.forEach(view -> listed(model.job(query.topic(), view.id()), view));
        if (query.state() == JobState.DELAYED) {
            List<Long> dues = found.stream().map(JobView::due).toList();
            assertEquals(dues.stream().sorted().toList(), dues, "order of delayed jobs");
        }
    }

    /** All that a listing shows. */
    static List<JobView> pages(StoreHarness store, JobQuery query) {
        return jobs(query, pages(store, query, new ArrayList<>()));
    }

    private static List<JobView> jobs(JobQuery query, CompletableFuture<List<JobPage>> pages) {
        List<JobView> all = new ArrayList<>();
        for (JobPage page : StoreHarness.await(pages)) {
            assertTrue(page.jobs().size() <= query.limit(), "more jobs on a page than asked for");
            all.addAll(page.jobs());
        }
        return all;
    }

    /** One after the other. */
    private static CompletableFuture<List<JobPage>> pages(StoreHarness store, JobQuery query, List<JobPage> before) {
        return store.async(s -> s.topics().list(query)).thenCompose(page -> {
            before.add(page);
            if (page.cursor() == null) {
                return CompletableFuture.completedFuture(before);
            }
            if (before.size() == MOST_PAGES) {
                return CompletableFuture.failedFuture(new AssertionError("a listing without end"));
            }
            JobQuery next = new JobQuery(
                    query.topic(),
                    query.state(),
                    query.limit(),
                    page.cursor(),
                    query.idPrefix(),
                    query.from(),
                    query.to(),
                    query.body());
            return pages(store, next, before);
        });
    }

    private void forecast(String topic, Forecast forecast) {
        List<Long> expected = new ArrayList<>(Collections.nCopies(4, 0L));
        for (ModelJob job : model.jobs(job -> job.topic.equals(topic) && job.state == JobState.DELAYED)) {
            if (job.due < model.now + WINDOW) {
                int at = (int) (Math.max(0, job.due - model.now) / STEP);
                expected.set(at, expected.get(at) + 1);
            }
        }
        assertEquals(new Forecast(model.now, STEP, expected), forecast, "forecast");
    }

    /** What scanners and dispatchers are told, which leases hold, and which topics there are. */
    private Runnable buckets() {
        CompletableFuture<List<String>> topics = store.async(s -> s.topics("", null, 100));
        List<Delivery> recent = List.copyOf(seen.subList(Math.max(0, seen.size() - RECENT), seen.size()));
        List<CompletableFuture<Boolean>> held = recent.stream()
                .map(job -> store.async(s -> s.isHeld(job.topic(), job.id(), job.lease())))
                .toList();
        List<CompletableFuture<Store.Look>> looks = new ArrayList<>();
        for (int bucket = 0; bucket < store.keys.buckets(); bucket++) {
            int at = bucket;
            looks.add(store.async(s -> s.look(at)));
        }
        return () -> {
            assertEquals(model.topics(), topics.join(), "topics");
            for (int i = 0; i < recent.size(); i++) {
                assertEquals(model.holds(recent.get(i)), held.get(i).join(), "is held " + recent.get(i));
            }
            for (int bucket = 0; bucket < looks.size(); bucket++) {
                look(bucket, looks.get(bucket).join());
                assertEquals(
                        looks.get(0).join().version(), looks.get(bucket).join().version(), "a change was missed");
            }
        };
    }

    private void look(int bucket, Store.Look look) {
        for (ModelJob job : model.jobs(job -> store.keys.bucketOf(job.id) == bucket)) {
            for (String name : List.of(job.topic, Callback.jobsOf(job.topic))) {
                assertTrue(!job.isFor(name) || look.awake().contains(name), () -> "nobody is told of " + job);
            }
            long alarm = model.alarmOf(job);
            assertTrue(
                    alarm == Long.MAX_VALUE || look.alarm() >= 0 && look.alarm() <= Math.max(alarm, model.now),
                    () -> "the alarm " + look.alarm() + " is too late for " + job);
        }
    }
}
