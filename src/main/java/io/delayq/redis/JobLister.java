package io.delayq.redis;

import io.delayq.job.JobPage;
import io.delayq.job.JobQuery;
import io.delayq.job.JobState;
import io.delayq.job.JobView;
import io.delayq.job.TopicSettings;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Comparator;
import java.util.List;

/**
 * Lists a topic's jobs page by page. States that have an order in time are merged over the buckets, soonest first; ready
 * jobs come bucket by bucket as they stand in their lists.
 */
final class JobLister {
    private static final int SCAN = 1_000;
    /** A page ends when its records are about this long in all. */
    private static final int PAGE_BYTES = 1 << 20;

    private static final int LEAST_BYTES = 64 * 1024;
    private static final int MOST_ROUNDS = 20;
    /** One part in so many is asked for beyond a bucket's share. */
    private static final int MARGIN = 16;

    private final TopicStore store;
    private final int buckets;

    /**
     * Where a listing stands.
     *
     * @param bucket only for ready jobs
     * @param first score or lane of the last job looked at; empty at the beginning of a state
     * @param second member or number of it
     */
    private record Place(JobState state, int bucket, String first, byte[] second) {
        static final Comparator<Place> ORDER = Comparator.<Place>comparingLong(place -> Long.parseLong(place.first))
                .thenComparing(place -> place.second, Arrays::compareUnsigned);

        static Place begin(JobState state) {
            return new Place(state, 0, "", new byte[0]);
        }

        Place at(String first, byte[] second) {
            return new Place(state, bucket, first, second);
        }

        String cursor() {
            byte[] head = Bytes.of(state.word() + " " + bucket + " " + first + " ");
            byte[] whole = Arrays.copyOf(head, head.length + second.length);
            System.arraycopy(second, 0, whole, head.length, second.length);
            return Base64.getUrlEncoder().withoutPadding().encodeToString(whole);
        }

        /** @throws IllegalArgumentException if it is none of ours */
        static Place of(String cursor, int buckets) {
            byte[] whole = Base64.getUrlDecoder().decode(cursor);
            // bytes as characters, so that the member is found where it begins
            String[] parts = new String(whole, StandardCharsets.ISO_8859_1).split(" ", 4);
            if (parts.length < 4) {
                throw new IllegalArgumentException("not a cursor");
            }
            JobState state = JobViews.state(parts[0]);
            int bucket = Integer.parseInt(parts[1]);
            boolean isReady = state == JobState.READY;
            boolean known = parts[2].isEmpty()
                    || (isReady
                            ? parts[2].matches("[hnlc]") && parts[3].matches("-?\\d{1,15}")
                            : parts[2].matches("\\d{1,15}"));
            if (!known || bucket < 0 || bucket >= buckets) {
                throw new IllegalArgumentException("not a cursor");
            }
            return new Place(state, bucket, parts[2], parts[3].getBytes(StandardCharsets.ISO_8859_1));
        }
    }

    private record Item(Place place, JobView job) {}

    /** What one bucket told. */
    private record Part(boolean isAll, Place end, List<Item> items) {}

    /** A page in the making. */
    private static final class Page {
        final JobQuery query;
        final List<JobView> jobs = new ArrayList<>();
        Place place;
        int rounds;
        long bytes;

        Page(JobQuery query, Place place) {
            this.query = query;
            this.place = place;
        }

        void add(JobView job) {
            jobs.add(job);
            bytes += job.body().length() + job.id().length();
        }

        boolean isFull() {
            return left() == 0 || bytes >= PAGE_BYTES || rounds == MOST_ROUNDS;
        }

        int left() {
            return query.limit() - jobs.size();
        }

        /** The state is at its end; so is the listing if it was the last one asked for. */
        void nextState() {
            JobState[] states = JobState.values();
            int next = place.state().ordinal() + 1;
            place = query.state() != null || next == states.length ? null : Place.begin(states[next]);
        }
    }

    JobLister(TopicStore store, int buckets) {
        this.store = store;
        this.buckets = buckets;
    }

    Future<JobPage> list(JobQuery query) {
        Page page;
        try {
            Place place = query.cursor() == null
                    ? Place.begin(query.state() == null ? JobState.DELAYED : query.state())
                    : Place.of(query.cursor(), buckets);
            if (query.state() != null && query.state() != place.state()) {
                throw new IllegalArgumentException("a cursor of another state");
            }
            page = new Page(query, place);
        } catch (IllegalArgumentException e) {
            return Future.failedFuture(e);
        }
        return fill(page);
    }

    private Future<JobPage> fill(Page page) {
        if (page.place == null || page.isFull()) {
            String cursor = page.place == null ? null : page.place.cursor();
            return Future.succeededFuture(new JobPage(page.jobs, cursor));
        }
        page.rounds++;
        Future<Void> round = page.place.state() == JobState.READY ? ready(page) : merged(page);
        return round.compose(done -> fill(page));
    }

    private Future<Void> ready(Page page) {
        int bucket = page.place.bucket();
        return ask(page, bucket, page.left()).map(part -> {
            part.items.forEach(item -> page.add(item.job));
            if (!part.isAll) {
                page.place = part.end;
            } else if (bucket + 1 < buckets) {
                page.place = new Place(JobState.READY, bucket + 1, "", new byte[0]);
            } else {
                page.nextState();
            }
            return null;
        });
    }

    private Future<Void> merged(Page page) {
        List<Future<Part>> asked = new ArrayList<>();
        for (int bucket = 0; bucket < buckets; bucket++) {
            // about its share; if a bucket has more of the next ones, another round tells
            asked.add(ask(page, bucket, page.left() / buckets + 1 + page.left() / MARGIN));
        }
        return Future.all(asked).map(all -> {
            List<Part> parts = all.list();
            // behind this place a bucket may have jobs that it has not told of yet
            Place known = parts.stream()
                    .filter(part -> !part.isAll)
                    .map(Part::end)
                    .min(Place.ORDER)
                    .orElse(null);
            List<Item> items = parts.stream()
                    .flatMap(part -> part.items.stream())
                    .filter(item -> known == null || Place.ORDER.compare(item.place, known) <= 0)
                    .sorted(Comparator.comparing(Item::place, Place.ORDER))
                    .toList();
            List<Item> taken = items.subList(0, Math.min(page.left(), items.size()));
            taken.forEach(item -> page.add(item.job));
            if (taken.size() < items.size()) {
                page.place = taken.get(taken.size() - 1).place;
            } else if (known != null) {
                page.place = known;
            } else {
                page.nextState();
            }
            return null;
        });
    }

    private Future<Part> ask(Page page, int bucket, int most) {
        JobQuery query = page.query;
        Place place = page.place;
        List<byte[]> args = List.of(
                Bytes.of(query.topic()),
                Bytes.of(place.state.word()),
                Bytes.of(most),
                Bytes.of(SCAN),
                Bytes.of(Math.max(LEAST_BYTES, PAGE_BYTES / buckets)),
                Bytes.of(query.body() ? 1 : 0),
                Bytes.of(query.idPrefix() == null ? "" : query.idPrefix()),
                Bytes.of(query.from() == null ? 0 : query.from()),
                Bytes.of(query.to() == null ? Long.MAX_VALUE : query.to()),
                Bytes.of(place.first),
                place.second);
        return store.call(Script.LIST, bucket, args).map(answer -> part(page, bucket, answer));
    }

    private static Part part(Page page, int bucket, Response answer) {
        Place from = new Place(page.place.state, bucket, "", new byte[0]);
        TopicSettings settings = SettingsRecord.decode(answer.get(3).toString()).settings();
        List<Item> items = new ArrayList<>();
        for (int i = 4; i < answer.size(); i++) {
            Response item = answer.get(i);
            items.add(new Item(
                    place(from, item.get(0), item.get(1)),
                    JobViews.listed(page.query.topic(), from.state, item, settings)));
        }
        return new Part(answer.get(0).toInteger() == 1, place(from, answer.get(1), answer.get(2)), items);
    }

    private static Place place(Place from, Response first, Response second) {
        return from.at(first.toString(), second.toBytes());
    }
}
