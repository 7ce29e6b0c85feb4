package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.job.JobState;
import io.delayq.job.TopicCounts;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Reads the keys themselves and tells what does not fit: a job on no index or on two, an entry without a job, a count
 * that is not what is there. Text is bytes as characters here.
 */
public final class Recount {
    private static final String[] LANES = {"n", "h", "l", "c"};
    private static final String[] LANE_BYTES = {"", "\1", "\2", "\3"};

    private final StoreHarness store;
    private final TreeSet<String> faults = new TreeSet<>();
    /** Ids with their topics as the records have them. */
    private final Map<String, String> owned = new HashMap<>();

    private Set<String> keys = Set.of();

    /** One topic in one bucket. */
    private final class Part {
        final int bucket;
        final String topic;
        final Map<String, String> jobs;
        final Map<String, JobState> states = new HashMap<>();
        final Map<JobState, Long> counts = new EnumMap<>(JobState.class);

        Part(int bucket, String topic) {
            this.bucket = bucket;
            this.topic = topic;
            this.jobs = hash("jobs:" + topic);
        }

        String key(String rest) {
            return store.keys.key(bucket, rest);
        }

        /** So that a key nobody looked at is found. */
        private String looked(String rest) {
            keys.remove(key(rest));
            return key(rest);
        }

        Map<String, String> hash(String rest) {
            List<String> flat = command("HGETALL", looked(rest));
            Map<String, String> hash = new HashMap<>();
            for (int i = 0; i < flat.size(); i += 2) {
                hash.put(flat.get(i), flat.get(i + 1));
            }
            return hash;
        }

        Map<String, Long> index(String rest) {
            List<String> flat = command("ZRANGE", looked(rest), "0", "-1", "WITHSCORES");
            Map<String, Long> index = new HashMap<>();
            for (int i = 0; i < flat.size(); i += 2) {
                index.put(flat.get(i), Long.parseLong(flat.get(i + 1)));
            }
            return index;
        }

        void fault(String text) {
            faults.add(key("") + " " + topic + ": " + text);
        }

        String lane(String id) {
            int flags = jobs.get(id).charAt(1);
            return LANE_BYTES[(flags & 4) != 0 ? 3 : flags & 3];
        }

        void stands(JobState state, String id) {
            counts.merge(state, 1L, Long::sum);
            JobState other = states.put(id, state);
            if (!jobs.containsKey(id)) {
                fault(id + " is " + state + " and has no record");
            } else if (other != null) {
                fault(id + " is both " + state + " and " + other);
            }
        }

        void check() {
            index("clock:" + topic).keySet().forEach(member -> {
                String id = !member.isEmpty() && member.charAt(0) < 4 ? member.substring(1) : member;
                stands(JobState.DELAYED, id);
                if (jobs.containsKey(id) && !member.equals(lane(id) + id)) {
                    fault(id + " stands on the clock in another lane than its own");
                }
            });
            Set<String> awake = ready();
            index("lease:" + topic).keySet().forEach(id -> stands(JobState.RESERVED, id));
            index("dead:" + topic).keySet().forEach(id -> stands(JobState.DEAD, id));
            index("done:" + topic).keySet().forEach(id -> stands(JobState.DONE, id));
            jobs.keySet().stream()
                    .filter(id -> !states.containsKey(id))
                    .forEach(id -> fault(id + " stands on no index"));
            if (!command("SMEMBERS", key("awake")).containsAll(awake)) {
                fault("has ready jobs and is not awake");
            }
            runs();
            hash("log:" + topic).forEach((id, log) -> {
                if (!jobs.containsKey(id) || log.lines().count() > 10) {
                    fault(id + " has a log without a job, or too long a one");
                }
            });
            expiry();
            groups();
            owned();
            alarms();
        }

        private void owned() {
            jobs.forEach((id, record) -> {
                if (record.charAt(1) >= 128 && owned.put(id, topic) != null) {
                    fault(id + " is to be in one topic and is in two");
                }
            });
        }

        /** What has to be awake. */
        private Set<String> ready() {
            Set<String> ghosts = new HashSet<>(command("SMEMBERS", looked("ghosts:" + topic)));
            Set<String> awake = new HashSet<>();
            for (int lane = 0; lane < LANES.length; lane++) {
                List<String> list = command("LRANGE", looked("ready:" + topic + ":" + LANES[lane]), "0", "-1");
                for (String id : list) {
                    if (!ghosts.remove(LANE_BYTES[lane] + id)) {
                        stands(JobState.READY, id);
                        awake.add(lane < 3 ? topic : LANE_BYTES[lane] + topic);
                    }
                }
                if (new HashSet<>(list).size() < list.size()) {
                    fault("an id is twice in ready list " + LANES[lane]);
                }
            }
            ghosts.forEach(ghost -> fault("ghost " + ghost + " is in no ready list"));
            return awake;
        }

        private void runs() {
            Map<String, String> runs = hash("runs:" + topic);
            runs.forEach((id, run) -> {
                boolean leased = run.charAt(0) > 0;
                if (!jobs.containsKey(id)) {
                    fault(id + " has a run and no record");
                } else if (leased != (states.get(id) == JobState.RESERVED)) {
                    fault(id + " is " + states.get(id) + ", its run has a lease: " + leased);
                }
            });
            states.forEach((id, state) -> {
                if (!runs.containsKey(id) && state != JobState.DELAYED && state != JobState.READY) {
                    fault(id + " is " + state + " and has no run");
                }
            });
        }

        private void expiry() {
            Set<String> expiring = index("expire:" + topic).keySet();
            expiring.stream()
                    .filter(id -> !jobs.containsKey(id))
                    .forEach(id -> fault(id + " is to expire and has no record"));
            states.forEach((id, state) -> {
                boolean waits = state == JobState.DELAYED || state == JobState.READY;
                boolean should = waits && jobs.containsKey(id) && (jobs.get(id).charAt(1) & 64) != 0;
                if (should != expiring.contains(id)) {
                    fault(id + " is " + state + " and to expire: " + expiring.contains(id));
                }
            });
        }

        private void groups() {
            Map<String, Set<String>> groups = new HashMap<>();
            jobs.forEach((id, record) -> {
                Buffer packed = Buffer.buffer(record.getBytes(StandardCharsets.ISO_8859_1));
                String group = JobRecord.decode(packed).options().group();
                if (group != null && states.get(id) != JobState.DONE) {
                    String key = "group:" + topic.length() + ":" + topic + ":" + group;
                    groups.computeIfAbsent(key, k -> new TreeSet<>()).add(id);
                }
            });
            groups.forEach((key, ids) -> {
                Set<String> members = new TreeSet<>(command("SMEMBERS", looked(key)));
                if (!members.equals(ids)) {
                    fault(key + " has " + members + " and should have " + ids);
                }
            });
        }

        private void alarms() {
            Map<String, Long> next = index("next");
            long now = now();
            Map<String, String> kinds = Map.of("c", "clock", "l", "lease", "e", "expire", "d", "dead", "o", "done");
            kinds.forEach((kind, index) -> {
                Long first = index(index + ":" + topic).values().stream()
                        .min(Long::compare)
                        .orElse(null);
                Long alarm = next.get(kind + topic);
                boolean kept = kind.equals("d") || kind.equals("o");
                // what a scan had no room for is due again at the time of that scan
                if (first != null && (alarm == null || !kept && alarm > Math.max(first, now))) {
                    fault("alarm " + kind + " is at " + alarm + ", the first is at " + first);
                }
            });
        }
    }

    public Recount(StoreHarness store) {
        this.store = store;
    }

    private long now() {
        Object set = store.command("GET", SetClock.key(store, 0));
        return set == null ? System.currentTimeMillis() : Long.parseLong(set.toString());
    }

    private List<String> command(String... words) {
        byte[][] sent = new byte[words.length][];
        for (int i = 0; i < words.length; i++) {
            sent[i] = words[i].getBytes(StandardCharsets.ISO_8859_1);
        }
        List<String> answer = new ArrayList<>();
        for (Object value : (List<?>) store.commandBytes(sent)) {
            answer.add(new String((byte[]) value, StandardCharsets.ISO_8859_1));
        }
        return answer;
    }

    /** Everything fits, and the counts are those of the keys; no topic but these has jobs. */
    void check(List<String> topics) {
        Map<String, TopicCounts> counted = count(topics);
        assertTrue(
                faults.isEmpty(),
                () -> "recount: " + faults.size() + " faults, of which "
                        + faults.stream().limit(8).toList());
        for (TopicCounts told : store.call(s -> s.counts(topics))) {
            TopicCounts mine = counted.get(told.topic());
            TopicCounts same = new TopicCounts(
                    told.topic(), told.delayed(), told.ready(), told.reserved(), told.dead(), told.done(), false);
            assertEquals(mine, same, "recounted");
        }
    }

    /** What does not fit in the keys of a server; no topic but these has jobs. */
    public List<String> faults(List<String> topics) {
        count(topics);
        return List.copyOf(faults);
    }

    private Map<String, TopicCounts> count(List<String> topics) {
        faults.clear();
        keys = new TreeSet<>(command("KEYS", "{" + store.namespace + ":*"));
        keys.removeIf(key -> isBookkeeping(key) || key.endsWith("}:awake"));
        Map<String, TopicCounts> counted = new HashMap<>();
        for (int bucket = 0; bucket < store.keys.buckets(); bucket++) {
            owned.clear();
            for (String topic : topics) {
                Part part = new Part(bucket, topic);
                part.check();
                TopicCounts counts = new TopicCounts(
                        topic,
                        part.counts.getOrDefault(JobState.DELAYED, 0L),
                        part.counts.getOrDefault(JobState.READY, 0L),
                        part.counts.getOrDefault(JobState.RESERVED, 0L),
                        part.counts.getOrDefault(JobState.DEAD, 0L),
                        part.counts.getOrDefault(JobState.DONE, 0L),
                        false);
                counted.merge(topic, counts, TopicCounts::plus);
            }
            Map<String, String> ids = new Part(bucket, "").hash("ids");
            if (!ids.equals(owned)) {
                faults.add("bucket " + bucket + ": ids has " + ids + " and should have " + owned);
            }
        }
        keys.forEach(key -> faults.add("nobody's key " + key));
        return counted;
    }

    /** Nothing of any job: only what is known of topics, alarms, calls, and of who pages or takes turns. */
    void nothingLeft() {
        Set<String> left = new TreeSet<>(command("KEYS", "{" + store.namespace + "*"));
        left.removeIf(Recount::isBookkeeping);
        assertEquals(Set.of(), left, "keys left after a full drain");
    }

    private static boolean isBookkeeping(String key) {
        String rest = key.substring(key.indexOf('}') + 2);
        return SetClock.isKey(key)
                || Set.of("next", "topics", "names", "meta").contains(rest)
                || rest.startsWith("call:")
                // these end by themselves
                || Set.of("servers", "history").contains(rest)
                || rest.startsWith("heads:")
                || rest.startsWith("turn:")
                || rest.startsWith("rate:");
    }
}
