package io.delayq.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings.Durability;
import io.delayq.config.Settings.Http;
import io.delayq.config.Settings.Instances;
import io.delayq.config.Settings.Mode;
import io.delayq.config.Settings.Redis;
import io.delayq.config.Settings.Topology;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeyTableTest {
    @Test
    void has_the_defaults_that_users_were_promised() {
        assertEquals(
                new Settings(
                        new Http("127.0.0.1", 9277, 10_000, 75_000, 10_000),
                        Path.of("data"),
                        new Redis(
                                null,
                                1500,
                                1000,
                                20_000,
                                null,
                                null,
                                new Topology(Mode.STANDALONE, "mymaster", null),
                                Durability.EVERYSEC,
                                false,
                                1),
                        "dq",
                        4,
                        new Instances(1, 1, 1, 1, 1),
                        List.of(),
                        false),
                Settings.defaults());
    }

    @Test
    void names_each_setting_once() {
        assertEquals(41, KeyTable.ALL.size());
        assertEquals(KeyTable.ALL.size(), KeyTable.NAMES.size());
        assertEquals(
                KeyTable.ALL.size(),
                KeyTable.ALL.stream().map(Key::variable).distinct().count());
        assertTrue(KeyTable.ALL.stream()
                .noneMatch(key -> key.description().isBlank() || key.expected().isBlank()));
    }

    @ParameterizedTest
    @CsvSource({
        "http.port, DELAYQ_HTTP_PORT",
        "http.maxConnections, DELAYQ_HTTP_MAX_CONNECTIONS",
        "http.headerDeadline, DELAYQ_HTTP_HEADER_DEADLINE",
        "redis.tryTimeout, DELAYQ_REDIS_TRY_TIMEOUT",
        "data.dir, DELAYQ_DATA_DIR",
        "tokens, DELAYQ_TOKENS",
    })
    void names_variables_in_upper_snake_case(String name, String variable) {
        Key<?> key = KeyTable.ALL.stream()
                .filter(one -> one.name().equals(name))
                .findAny()
                .orElseThrow();
        assertEquals(variable, key.variable());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"127.0.0.1", "127.8.9.10", "::1", "0:0:0:0:0:0:0:1", "localhost", "LocalHost", "::ffff:127.0.0.1"
            })
    void knows_a_loopback_address(String host) {
        assertTrue(Hosts.isLoopback(host));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "::",
                "10.0.0.1",
                "127.0.0.1.example.com",
                "localhost.example.com",
                "example.com",
                "1127.0.0.1",
                ""
            })
    void knows_what_is_not_a_loopback_address(String host) {
        assertFalse(Hosts.isLoopback(host));
    }

    @ParameterizedTest
    @CsvSource({
        "port, http.port",
        "http.prot, http.port",
        "http.Port, http.port",
        "redis.uri, redis.url",
        "maxconnections, http.maxConnections",
        "token, tokens",
        "bucket, buckets",
        "redis.trytimout, redis.tryTimeout",
    })
    void names_the_nearest_known_key(String wrong, String right) {
        assertEquals(right, Nearest.to(wrong, KeyTable.NAMES));
    }
}
