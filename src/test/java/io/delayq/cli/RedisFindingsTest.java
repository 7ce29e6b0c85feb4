package io.delayq.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.delayq.cli.Finding.Level;
import io.delayq.redis.RedisCheckup.Facts;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RedisFindingsTest {
    private static final Map<String, String> GOOD = Map.of(
            "redis_version", "7.2.4",
            "role", "master",
            "aof_enabled", "1",
            "aof_last_write_status", "ok",
            "maxmemory_policy", "noeviction",
            "maxmemory", "1000",
            "used_memory", "100");

    @Test
    void a_good_one_has_no_problems() {
        assertEquals(List.of(), problems(GOOD, 3, 200_000));
    }

    @Test
    void each_fault_is_found() {
        assertEquals(List.of("redis version"), problems(with("redis_version", "6.2.1"), 0, 1));
        assertEquals(List.of("redis role"), problems(with("role", "slave"), 0, 1));
        assertEquals(List.of("persistence"), problems(with("aof_enabled", "0"), 0, 1));
        assertEquals(List.of("persistence"), problems(with("aof_last_write_status", "err"), 0, 1));
        assertEquals(List.of("eviction"), problems(with("maxmemory_policy", "allkeys-lru"), 0, 1));
        assertEquals(List.of("memory"), problems(with("used_memory", "950"), 0, 1));
        assertEquals(List.of("clock"), problems(GOOD, -501, 1));
        assertEquals(List.of("latency"), problems(GOOD, 0, 6_000_000));
    }

    @Test
    void a_redis_that_searches_long_lists_is_told_of() {
        assertEquals(List.of("small hashes"), of(with("hash-max-listpack-entries", "512"), 0, 1, Level.NOTE));
        assertEquals(List.of(), of(with("hash-max-listpack-entries", "64"), 0, 1, Level.NOTE));
        assertEquals(List.of(), of(GOOD, 0, 1, Level.NOTE));
    }

    private static Map<String, String> with(String name, String value) {
        Map<String, String> changed = new HashMap<>(GOOD);
        changed.put(name, value);
        return changed;
    }

    private static List<String> problems(Map<String, String> info, long clock, long ping) {
        return of(info, clock, ping, Level.PROBLEM);
    }

    private static List<String> of(Map<String, String> info, long clock, long ping, Level level) {
        return RedisFindings.of(new Facts(info, clock, Collections.nCopies(10, ping))).stream()
                .filter(finding -> finding.level() == level)
                .map(Finding::check)
                .toList();
    }
}
