package io.delayq.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where to listen, which Redis to use, and the checks across keys. */
class AddressesTest extends LoadingTestBase {

    @ParameterizedTest
    @CsvSource({"[::1], ::1", "::1, ::1", "localhost, localhost", "127.0.0.2, 127.0.0.2"})
    void takes_a_loopback_host_without_tokens(String host, String listened) {
        env("DELAYQ_HTTP_HOST", host);
        assertEquals(listened, loaded().http().host());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "10.1.2.3", "queue.example.com"})
    void refuses_another_host_without_tokens_and_says_what_to_do(String host) {
        env("DELAYQ_HTTP_HOST", host);
        Fault fault = onlyFault();
        assertEquals("http.host", fault.key());
        assertEquals("variable DELAYQ_HTTP_HOST", fault.origin());
        assertTrue(fault.problem().contains("--insecure") && fault.problem().contains("tokens"), fault.problem());
    }

    @Test
    void takes_another_host_with_tokens_or_when_told_insecure() {
        yaml = "http: {host: 0.0.0.0}";
        flags("--insecure");
        assertEquals("0.0.0.0", loaded().http().host());
        flags();
        env("DELAYQ_TOKENS", "[{\"name\":\"n\",\"token\":\"t\",\"rights\":[\"push\"]}]");
        assertEquals("0.0.0.0", loaded().http().host());
    }

    @Test
    void takes_an_empty_list_of_tokens_for_none() {
        yaml = "http: {host: 0.0.0.0}\ntokens: []";
        assertEquals("http.host", onlyFault().key());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"a b", "127.0.0.1:80", "http://a", "256.1.1.1", "[127.0.0.1]", "[::1", "a..b", "::g", "1.2.3"})
    void refuses_what_is_no_host(String host) {
        flags("--http.host=" + host);
        assertEquals("http.host", onlyFault().key());
        assertEquals("expected " + Hosts.EXPECTED, onlyFault().problem());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://h",
                "redis://h:6379",
                "rediss://h:6379/3",
                "redis://:p@h",
                "redis://u:p%40@h/",
                "redis://[::1]:1"
            })
    void takes_a_redis_address(String url) {
        env("DELAYQ_REDIS_URL", url);
        assertEquals(url, loaded().redis().url());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://",
                "redis:///1",
                "redis://:" + SECRET + "@",
                "redis://:" + SECRET + "@:6379",
                "h:6379",
                "http://u:" + SECRET + "@h",
                "unix:///" + "run/redis.sock",
                "redis://h:0",
                "redis://h:65536",
                "redis://h/x",
                "redis://h?password=" + SECRET,
                "redis://h?password=a@" + SECRET,
                "redis://h#" + SECRET,
                "redis://:a#" + SECRET + "@h",
                "redis://:a b" + SECRET + "@h",
                "redis://u:12?" + SECRET + "@h",
                "redis://u:12/" + SECRET + "@h",
                "redis://a:b@u:12/" + SECRET + "@h",
                SECRET + "@h",
                "redis://a_b@" + "h_h"
            })
    void refuses_another_address_without_showing_its_password(String url) {
        env("DELAYQ_REDIS_URL", url);
        assertEquals("redis.url", onlyFault().key());
        assertFalse(failed().getMessage().contains(SECRET), failed().getMessage());
    }

    @Test
    void shows_the_host_of_a_refused_address() {
        env("DELAYQ_REDIS_URL", "http://u:p@example.com:80/x");
        assertEquals("http://example.com:80/x", onlyFault().given());
    }

    @Test
    void refuses_a_try_that_may_take_longer_than_the_deadline() {
        flags("--redis.deadline=500ms");
        Fault fault = onlyFault();
        assertEquals("redis.tryTimeout", fault.key());
        assertEquals("default", fault.origin());
        assertTrue(fault.problem().contains("500ms (flag --redis.deadline)"), fault.problem());
        flags("--redis.deadline=1s", "--redis.tryTimeout=1000");
        assertEquals(1000, loaded().redis().tryMillis());
    }

    @Test
    void does_not_compare_with_a_value_that_is_a_fault_itself() {
        flags("--redis.deadline=x", "--redis.tryTimeout=10s");
        assertEquals("redis.deadline", onlyFault().key());
    }
}
