package io.delayq.redis;

import io.delayq.job.JobPage;
import io.delayq.job.JobQuery;
import io.delayq.job.JobState;
import io.delayq.job.JobView;
import io.delayq.job.TopicSettings;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
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
    /** Most jobs in one script: about half a millisecond. */
    private static final int PART = 60;

    /** Most jobs that one script looks at, which for those left out takes less. */
    private static final int SCAN = 300;
    /** A page ends when its records are about this long in all. */
    private static final int PAGE_BYTES = 1 << 20;

    private static final int LEAST_BYTES = 64 * 1024;
    /** A page ends after so many scripts and one more a bucket, however few jobs they found. */
    private static final int MOST_ASKED = 120;
    /** One part in so many is asked for beyond a bucket's share. */
    private static final int MARGIN = 32;

    /** What a page costs is not Redis alone: it is made and sent on the same processors that others' jobs wait for. */
    private static final int RESTS = 3;

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

    /** A bucket of a state that is merged: what it told and was not taken yet, and up to which place it told all. */
    private static final class Source {
        final int bucket;
        final ArrayDeque<Item> items = new ArrayDeque<>();
        Place end;
        boolean isAsked;
        boolean isAll;

        Source(int bucket, Place begin) {
            this.bucket = bucket;
            this.end = begin;
        }

        void add(Part part) {
            items.addAll(part.items);
            end = part.end;
            isAsked = true;
            isAll = part.isAll;
        }
    }

    /** A page in the making. */
    private static final class Page {
        final JobQuery query;
        final Pace pace = new Pace(RESTS);
        final List<JobView> jobs = new ArrayList<>();
        Place place;
        int mayAsk;
        long bytes;

        Page(JobQuery query, Place place, int mayAsk) {
            this.query = query;
            this.place = place;
            this.mayAsk = mayAsk;
        }

        void add(JobView job) {
            jobs.add(job);
            bytes += job.body().length() + job.id().length();
        }

        boolean isFull() {
            return left() == 0 || bytes >= PAGE_BYTES;
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
            page = new Page(query, place, MOST_ASKED + buckets);
        } catch (IllegalArgumentException e) {
            return Future.failedFuture(e);
        }
        return fill(page);
    }

    private Future<JobPage> fill(Page page) {
        return TopicStore.again(() -> {
                    Future<Void> round = page.place.state() == JobState.READY ? ready(page) : merged(page);
                    return round.map(done -> page.place != null && !page.isFull() && page.mayAsk > 0);
                })
                .map(done -> new JobPage(page.jobs, page.place == null ? null : page.place.cursor()));
    }

    private Future<Void> ready(Page page) {
        int bucket = page.place.bucket();
        return ask(page, page.place, bucket, page.left()).map(part -> {
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
        List<Source> sources = new ArrayList<>();
        for (int bucket = 0; bucket < buckets; bucket++) {
            sources.add(new Source(bucket, page.place));
        }
        return TopicStore.again(() -> {
            Source next = leastKnown(sources);
            // about its share; a bucket that has more of the next ones is soon asked again
            int most = page.left() / buckets + 1 + page.left() / MARGIN;
            return ask(page, next.end, next.bucket, most).map(part -> {
                next.add(part);
                return take(page, sources) && page.mayAsk > 0;
            });
        });
    }

    /** The bucket to ask next: behind its end it may have jobs that come before others. Null if all have told all. */
    private static Source leastKnown(List<Source> sources) {
        Source least = null;
        for (Source source : sources) {
            if (!source.isAsked) {
                return source;
            }
            if (!source.isAll && (least == null || Place.ORDER.compare(source.end, least.end) < 0)) {
                least = source;
            }
        }
        return least;
    }

    /** Takes what is known to come next; whether there may be more for this page. */
    private static boolean take(Page page, List<Source> sources) {
        Source least = leastKnown(sources);
        if (least != null && !least.isAsked) {
            return true;
        }
        Source first = first(sources, least);
        while (first != null && !page.isFull()) {
            Item item = first.items.poll();
            page.add(item.job);
            page.place = item.place;
            first = first(sources, least);
        }
        if (first == null && least != null) {
            page.place = least.end;
        } else if (first == null) {
            page.nextState();
        }
        return first == null && least != null && !page.isFull();
    }

    /** The bucket with the next job, null if that is not known. */
    private static Source first(List<Source> sources, Source least) {
        return sources.stream()
                .filter(source -> !source.items.isEmpty())
                .min(Comparator.comparing(source -> source.items.peek().place, Place.ORDER))
                .filter(source -> least == null || Place.ORDER.compare(source.items.peek().place, least.end) <= 0)
                .orElse(null);
    }

    private Future<Part> ask(Page page, Place place, int bucket, int most) {
        JobQuery query = page.query;
        page.mayAsk--;
        List<byte[]> args = List.of(
                Bytes.of(query.topic()),
                Bytes.of(place.state.word()),
                Bytes.of(Math.min(most, PART)),
                Bytes.of(SCAN),
                Bytes.of(Math.max(LEAST_BYTES, PAGE_BYTES / buckets)),
                Bytes.of(query.body() ? 1 : 0),
                Bytes.of(query.idPrefix() == null ? "" : query.idPrefix()),
                Bytes.of(query.from() == null ? 0 : query.from()),
                Bytes.of(query.to() == null ? Long.MAX_VALUE : query.to()),
                Bytes.of(place.first),
                place.second);
        return page.pace.next(() -> store.call(Script.LIST, bucket, args)).map(answer -> part(page, bucket, answer));
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
