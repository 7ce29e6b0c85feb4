package io.delayq.cli;

import io.delayq.job.Durations;
import io.delayq.redis.RedisCheckup;
import io.delayq.redis.RedisCheckup.Cluster;
import io.delayq.redis.RedisCheckup.Facts;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Whether a Redis is fit for jobs. */
final class RedisFindings {
    private static final int OLDEST = 7;
    private static final long CLOCK_MILLIS = 500;
    private static final double PING_MILLIS = 5;
    private static final double FULL = 0.9;
    private static final int FEW = 128;

    private RedisFindings() {}

    static List<Finding> of(Facts facts) {
        List<Finding> found = new ArrayList<>();
        found.add(version(facts));
        found.add(role(facts));
        found.add(persistence(facts));
        found.add(eviction(facts));
        found.add(memory(facts));
        found.add(smallHashes(facts));
        found.add(clock(facts));
        found.add(latency(facts));
        return found;
    }

    /** @param address of the one among several that these facts are about */
    static List<Finding> of(String address, Facts facts) {
        return of(facts).stream()
                .map(one -> new Finding(one.level(), one.check(), address + ": " + one.found(), one.remedy()))
                .toList();
    }

    static Finding of(Cluster cluster) {
        String masters = cluster.masters().size() + " masters";
        return cluster.uncovered() == 0
                ? Finding.ok("redis cluster", masters)
                : Finding.problem(
                        "redis cluster",
                        masters + ", " + cluster.uncovered() + " slots that none of them has",
                        "redis-cli --cluster fix");
    }

    private static Finding version(Facts facts) {
        String valkey = facts.get("valkey_version");
        String version = facts.get("redis_version");
        String name = valkey.isEmpty() ? "Redis " + version : "Valkey " + valkey;
        String major = version.replaceFirst("\\..*", "");
        return major.matches("[0-9]{1,4}") && Integer.parseInt(major) >= OLDEST
                ? Finding.ok("redis version", name)
                : Finding.problem("redis version", name, "upgrade to Redis 7.0 or newer, or Valkey");
    }

    private static Finding role(Facts facts) {
        return facts.get("role").equals("slave")
                ? Finding.problem("redis role", "a replica, which takes no jobs", "let redis.url name the primary")
                : Finding.ok("redis role", "primary, " + facts.get("connected_slaves") + " replicas");
    }

    private static Finding persistence(Facts facts) {
        if (!facts.get("aof_enabled").equals("1")) {
            return Finding.problem(
                    "persistence",
                    "no append-only file: jobs are lost when Redis stops",
                    "CONFIG SET appendonly yes, and in redis.conf: appendonly yes");
        }
        return facts.get("aof_last_write_status").equals("err")
                ? Finding.problem(
                        "persistence",
                        "the append-only file could not be written",
                        "look at Redis's log and at its disk, which may be full")
                : Finding.ok("persistence", "append-only file");
    }

    private static Finding eviction(Facts facts) {
        String policy = facts.get("maxmemory_policy");
        return policy.equals("noeviction")
                ? Finding.ok("eviction", "noeviction")
                : Finding.problem(
                        "eviction",
                        (policy.isEmpty() ? "unknown" : policy) + ": Redis may throw jobs away when memory is short",
                        "CONFIG SET maxmemory-policy noeviction, and the same in redis.conf");
    }

    private static Finding memory(Facts facts) {
        double most = number(facts.get("maxmemory"));
        double used = number(facts.get("used_memory"));
        String said = facts.get("used_memory_human") + " used"
                + (most > 0 ? " of " + facts.get("maxmemory_human") : ", no limit set");
        return most > 0 && used > most * FULL
                ? Finding.problem(
                        "memory", said, "raise maxmemory, or consume or delete jobs; full, pushes are refused")
                : Finding.ok("memory", said);
    }

    private static Finding smallHashes(Facts facts) {
        double most = number(facts.get(RedisCheckup.LISTPACK));
        return most <= FEW
                ? Finding.ok(
                        "small hashes", most == 0 ? "not told" : "lists of at most " + Math.round(most) + " entries")
                : Finding.note(
                        "small hashes",
                        "lists of up to " + Math.round(most)
                                + " entries: scripts on hundreds of reserved jobs take long",
                        "CONFIG SET hash-max-listpack-entries 64 zset-max-listpack-entries 64, and in redis.conf");
    }

    private static Finding clock(Facts facts) {
        long off = Math.abs(facts.clockMillis());
        String said = off == 0
                ? "the same as this machine's"
                : "Redis is " + Durations.text(off) + (facts.clockMillis() < 0 ? " behind" : " ahead");
        return off <= CLOCK_MILLIS
                ? Finding.ok("clock", said)
                : Finding.problem("clock", said, "keep both machines' clocks right with NTP; Redis's clock decides");
    }

    private static Finding latency(Facts facts) {
        double median = facts.pingNanos().get(facts.pingNanos().size() / 2) / 1e6;
        double worst = facts.pingNanos().get(facts.pingNanos().size() - 1) / 1e6;
        String said = String.format(
                Locale.ROOT,
                "%.2f ms, slowest of %d: %.2f ms",
                median,
                facts.pingNanos().size(),
                worst);
        return median <= PING_MILLIS
                ? Finding.ok("latency", said)
                : Finding.problem(
                        "latency", said, "bring Redis nearer, or look with SLOWLOG GET at what keeps it busy");
    }

    private static double number(String text) {
        return text.matches("[0-9]{1,18}") ? Double.parseDouble(text) : 0;
    }
}
