package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class TestRedisTest {
    @Test
    void the_shared_one_is_a_cluster_that_refuses_a_script_across_slots() {
        TestRedis redis = TestRedis.shared();
        assertEquals(List.of("1", "x"), redis.command("EVAL", "return {'1', ARGV[1]}", "0", "x"));
        // Without the first line Redis lets an undeclared key of another slot pass, if the slot is its own.
        String script = "#!lua\nredis.call('SET', 'a', 1) redis.call('SET', 'b', 1)";
        assertThrows(RespClient.ErrorReply.class, () -> redis.command("EVAL", script, "0"));
        assertThrows(RespClient.ErrorReply.class, () -> redis.command("EVAL", "return 1", "2", "a", "b"));
        redis.command("DEL", "a");
        assertNull(redis.command("GET", "never-written"));
        byte[] binary = {0, (byte) 0xff, '\r', '\n'};
        redis.commandBytes(bytes("SET"), bytes("binary"), binary);
        assertArrayEquals(binary, (byte[]) redis.commandBytes(bytes("GET"), bytes("binary")));
        assertEquals(1L, redis.command("DEL", "binary"));
    }

    @Test
    void an_own_one_can_be_frozen_killed_and_restarted_with_its_data() {
        try (TestRedis redis = TestRedis.start(TestRedis.Options.standalone().with("maxmemory-policy noeviction"))) {
            redis.command("SET", "k", "v");
            long first = redis.pid();
            redis.freeze();
            redis.thaw();
            assertEquals("v", redis.command("GET", "k"));
            redis.kill();
            redis.restart();
            assertTrue(redis.pid() != first);
            assertEquals("v", redis.command("GET", "k"));
            redis.restart();
            assertEquals("v", redis.command("GET", "k"));
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
