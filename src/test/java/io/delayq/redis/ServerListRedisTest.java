package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.redis.ServerList.Member;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who lives, by heartbeats in Redis and by its clock. */
class ServerListRedisTest {
    private final StoreHarness store = new StoreHarness(TestRedis.shared(), 3);

    @AfterEach
    void close() {
        store.close();
    }

    private static Member member(String id, String... roles) {
        return new Member(id, List.of(roles), "http://127.0.0.1:1", "1.0 beta", 0, 0);
    }

    private Set<String> alive() {
        return store.call(s -> s.servers().all()).stream().map(Member::id).collect(Collectors.toSet());
    }

    private long redisMillis() {
        List<?> time = (List<?>) store.redis.command("TIME");
        return Long.parseLong(time.get(0).toString()) * 1_000
                + Long.parseLong(time.get(1).toString()) / 1_000;
    }

    /** As if its last heartbeat had been at another time. */
    private void heardAt(String id, long millis) {
        store.redis.command("HSET", store.keys.key(0, "servers"), id, millis + " 1 scanner http://h:1 v");
    }

    @Test
    void a_server_that_beats_is_told_of_with_all_that_it_says() {
        long before = redisMillis();
        Member first = store.call(s -> s.servers().beat(member("a", "ingress", "scanner")))
                .get(0);
        assertEquals(List.of("ingress", "scanner"), first.roles());
        assertEquals("http://127.0.0.1:1", first.address());
        assertEquals("1.0 beta", first.version());
        assertTrue(first.started() >= before && first.started() <= redisMillis(), "started at " + first.started());
        assertEquals(first.started(), first.heard());
        // what it was told it says with the next beat
        TestRedis.await("time passing", () -> redisMillis() > first.started());
        Member again = store.call(s -> s.servers().beat(first)).get(0);
        assertEquals(first.started(), again.started());
        assertTrue(again.heard() > first.heard());
        assertEquals(List.of(again), store.call(s -> s.servers().all()));
    }

    @Test
    void a_server_that_has_nothing_to_do_yet_has_no_roles() {
        assertEquals(
                List.of(),
                store.call(s -> s.servers().beat(member("idle"))).get(0).roles());
    }

    @Test
    void one_that_leaves_is_gone_at_once_and_nothing_stays_behind() {
        store.call(s -> s.servers().beat(member("a", "scanner")));
        store.call(s -> s.servers().beat(member("b", "scanner")));
        assertEquals(Set.of("a", "b"), alive());
        store.call(s -> s.servers().leave("a"));
        assertEquals(Set.of("b"), alive());
        store.call(s -> s.servers().leave("b"));
        assertEquals(List.of(), store.allKeys());
    }

    @Test
    void one_that_was_silent_for_too_long_by_the_clock_of_redis_is_swept() {
        store.call(s -> s.servers().beat(member("a", "scanner")));
        heardAt("just", redisMillis() - ServerList.SILENCE_MILLIS + 1_000);
        heardAt("dead", redisMillis() - ServerList.SILENCE_MILLIS - 1);
        heardAt("future", redisMillis() + ServerList.SILENCE_MILLIS + 60_000);
        assertEquals(Set.of("a", "just"), alive());
        assertEquals(4, (Long) store.redis.command("HLEN", store.keys.key(0, "servers")) + 2, "left in Redis");
    }

    @Test
    void the_last_trace_of_servers_that_died_goes_by_itself() {
        store.call(s -> s.servers().beat(member("a", "scanner")));
        long left = (Long) store.redis.command("PTTL", store.keys.key(0, "servers"));
        assertTrue(left > ServerList.SILENCE_MILLIS && left <= 10 * ServerList.SILENCE_MILLIS, "kept for " + left);
    }

    /** An append-only file that is written all the time makes writes wait for the disk. */
    @Test
    void heartbeats_are_not_written_to_the_disk() {
        try (TestRedis own = TestRedis.start(TestRedis.Options.standalone());
                StoreHarness there = new StoreHarness(own, 1)) {
            there.call(s -> s.servers().beat(member("a", "scanner")));
            long before = appended(own);
            for (int i = 0; i < 20; i++) {
                there.call(s -> s.servers().beat(member("a", "scanner")));
            }
            there.call(s -> s.servers().leave("a"));
            assertEquals(before, appended(own), "bytes in the append-only file");
            own.command("SET", "any", "thing");
            assertTrue(appended(own) > before, "the test sees what is written");
        }
    }

    private static long appended(TestRedis redis) {
        String info = redis.command("INFO", "persistence").toString();
        return info.lines()
                .filter(line -> line.startsWith("aof_current_size:"))
                .mapToLong(line ->
                        Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
                .findFirst()
                .orElseThrow();
    }
}
