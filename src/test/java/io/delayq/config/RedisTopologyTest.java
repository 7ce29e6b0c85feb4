package io.delayq.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings.Durability;
import io.delayq.config.Settings.Mode;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several Redis servers, how they belong together, and how much of them a write must have reached. */
class RedisTopologyTest extends LoadingTestBase {
    @ParameterizedTest
    @CsvSource({"replication, REPLICATION", "sentinel, SENTINEL", "cluster, CLUSTER", "shards, SHARDS"})
    void takes_several_addresses(String mode, Mode expected) {
        yaml = "redis: {mode: " + mode + ", url: 'redis://:p@a:1, redis://:p@b:2,redis://:p@c'}";
        Settings.Redis redis = loaded().redis();
        assertEquals(expected, redis.mode());
        assertEquals(List.of("redis://:p@a:1", "redis://:p@b:2", "redis://:p@c"), redis.urls());
        assertEquals("redis://a:1,redis://b:2,redis://c", redis.redacted());
        assertFalse(redis.toString().contains(":p@"), redis.toString());
    }

    @Test
    void takes_shards_that_have_nothing_in_common() {
        flags("--redis.mode=shards", "--redis.url=redis://:p@a/1,rediss://u:" + SECRET + "@b");
        assertEquals(
                List.of("redis://:p@a/1", "rediss://u:" + SECRET + "@b"),
                loaded().redis().urls());
    }

    @Test
    void takes_as_many_shards_as_buckets_and_up_to_64() {
        flags("--redis.mode=shards", "--buckets=100", "--redis.url=" + addresses(64));
        assertEquals(64, loaded().redis().urls().size());
        flags("--redis.mode=shards", "--buckets=100", "--redis.url=" + addresses(65));
        assertEquals("redis.url", onlyFault().key());
        flags("--redis.processes=4");
        assertEquals(4, loaded().redis().processes());
        assertEquals("redis.processes is 4", loaded().redis().spreadBy());
    }

    private static String addresses(int count) {
        return IntStream.range(0, count).mapToObj(i -> "redis://h" + i).collect(Collectors.joining(","));
    }

    @Test
    void tells_all_that_is_wrong_with_shards_at_once() {
        flags(
                "--redis.mode=shards",
                "--redis.url=redis://a,redis://b",
                "--buckets=1",
                "--redis.processes=2",
                "--compat=c5",
                "--intake.list=in");
        assertEquals(
                List.of("compat", "buckets", "redis.processes", "intake.list"),
                failed().faults().stream().map(Fault::key).toList());
    }

    @Test
    void takes_a_comma_in_a_password_as_such() {
        env("DELAYQ_REDIS_URL", "redis://:a,b@h");
        assertEquals(List.of("redis://:a,b@h"), loaded().redis().urls());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://:" + SECRET + "@a,rediss://:" + SECRET + "@b",
                "redis://:" + SECRET + "@a,redis://b",
                "redis://:" + SECRET + "@a,redis://:x" + SECRET + "@b",
                "redis://:" + SECRET + "@a/1,redis://:" + SECRET + "@b/2",
                "redis://:" + SECRET + "@a,redis://:" + SECRET + "@b:0",
                "redis://:" + SECRET + ",redis://:" + SECRET + "@b",
                "redis://:" + SECRET + "@a,b:6379",
                "redis://:" + SECRET + "@a,"
            })
    void refuses_addresses_that_do_not_go_together_without_showing_a_password(String url) {
        flags("--redis.mode=replication", "--redis.url=" + url);
        assertEquals("redis.url", onlyFault().key());
        assertFalse(failed().getMessage().contains(SECRET), failed().getMessage());
    }

    @Test
    void shows_the_hosts_of_addresses_that_differ() {
        flags("--redis.mode=cluster", "--redis.url=redis://:p@a:1,redis://:q@b:2");
        assertEquals("redis://a:1,redis://b:2", onlyFault().given());
    }

    @Test
    void tells_everything_that_does_not_go_together_at_once() {
        yaml = "redis: {mode: replication, master: other, sentinelPassword: " + SECRET + "}\ndurability: replicas:1";
        assertEquals(
                List.of("redis.mode", "redis.master", "redis.sentinelPassword", "durability"),
                failed().faults().stream().map(Fault::key).toList());
        assertFalse(failed().getMessage().contains(SECRET), failed().getMessage());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "redis.url; --redis.url=redis://a,redis://b",
                "redis.url; --redis.mode=cluster --redis.url=redis://a/1",
                "redis.master; --redis.master=x --redis.url=redis://a",
                "redis.sentinelPassword; --redis.sentinelPassword=x --redis.mode=cluster --redis.url=redis://a",
                "redis.mode; --redis.mode=sentinel",
                "redis.mode; --redis.mode=cluster",
                "redis.mode; --redis.mode=Sentinel --redis.url=redis://a",
                "durability; --durability=replicas:2",
                "intake.list; --intake.list=in --redis.mode=cluster --redis.url=redis://a",
                "redis.url; --redis.mode=shards --redis.url=redis://a",
                "redis.url; --redis.mode=shards --redis.url=redis://a,redis://b,redis://a",
                "redis.mode; --redis.mode=shards",
                "buckets; --buckets=2 --redis.mode=shards --redis.url=redis://a,redis://b,redis://c",
                "redis.processes; --redis.processes=0",
                "redis.processes; --redis.processes=65 --buckets=100",
                "redis.processes; --redis.processes=5",
                "redis.processes; --redis.processes=2 --redis.url=redis://a",
                "intake.list; --intake.list=in --redis.mode=shards --redis.url=redis://a,redis://b",
                "intake.list; --intake.list=in --redis.processes=2",
                "compat; --compat=c5 --redis.processes=2",
                "intake.list; --intake.list={dq}:meta",
                "intake.list; --intake.list={q:0:1}:next --namespace=q",
            })
    void refuses_what_does_not_go_together(String key, String given) {
        flags(given.split(" "));
        assertEquals(key, onlyFault().key());
    }

    @Test
    void does_not_compare_with_a_mode_that_is_a_fault_itself() {
        flags("--redis.mode=x", "--redis.url=redis://a,redis://b", "--redis.master=m");
        assertEquals("redis.mode", onlyFault().key());
        assertEquals(
                "expected standalone, replication, sentinel, cluster or shards",
                onlyFault().problem());
    }

    @Test
    void takes_a_master_and_a_password_with_sentinels() {
        flags(
                "--redis.mode=sentinel",
                "--redis.url=redis://a",
                "--redis.master=m",
                "--redis.sentinelPassword=" + SECRET);
        Settings.Redis redis = loaded().redis();
        assertEquals("m", redis.topology().master());
        assertEquals(SECRET, redis.topology().sentinelPassword());
        assertFalse(redis.toString().contains(SECRET));
        flags();
        assertNull(loaded().redis().topology().sentinelPassword());
    }

    @ParameterizedTest
    @ValueSource(strings = {"everysec", "always", "replicas:1", "replicas:10"})
    void takes_a_durability_and_spells_it_alike(String text) {
        yaml = "redis: {url: 'redis://a'}\ndurability: " + text;
        assertEquals(text, loaded().redis().durability().toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"no", "replicas", "'replicas:'", "replicas:0", "replicas:11", "{replicas: 1}", "Always"})
    void refuses_another_durability(String text) {
        yaml = "redis: {url: 'redis://a'}\ndurability: " + text;
        assertEquals("durability", onlyFault().key());
    }

    @Test
    void lets_the_embedded_redis_be_as_durable_as_its_disk() {
        flags("--durability=always");
        assertEquals(Durability.ALWAYS, loaded().redis().durability());
        assertTrue(loaded().redis().urls().isEmpty());
    }
}
