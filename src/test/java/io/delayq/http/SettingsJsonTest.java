package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsJsonTest {
    @Test
    void shows_every_setting_with_durations_in_milliseconds_and_without_secrets() {
        String shown = shown(SettingsRequestTest.ALL);
        assertEquals(
                "{\"ttr\":90000,\"retry\":{\"maxAttempts\":6,\"backoff\":[5000,3600000]},\"priority\":\"high\","
                        + "\"ttl\":7200000,\"onExpire\":\"dead\",\"callback\":{\"url\":\"https://shop.example/close\","
                        + "\"method\":\"PUT\",\"headers\":{\"X-App\":\"shop\"}},"
                        + "\"webhook\":{\"success\":\"success-true\"},\"keepDone\":86400000,"
                        + "\"keepDead\":2592000000,\"maxInFlight\":50,\"ratePerSecond\":200}",
                shown);
        assertFalse(shown.contains("whsec"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{} | {}",
                "{\"retry\":{}} | {}",
                "{\"retry\":{\"maxAttempts\":3}} | {\"retry\":{\"maxAttempts\":3}}",
                "{\"retry\":{\"backoff\":{\"base\":\"2s\",\"factor\":1.5}}} | "
                        + "{\"retry\":{\"backoff\":{\"base\":2000,\"factor\":1.5,\"max\":600000,\"jitter\":0.1}}}",
                "{\"keepDone\":0,\"onExpire\":\"drop\"} | {\"onExpire\":\"drop\",\"keepDone\":0}",
                "{\"redisList\":{\"key\":\"a\\\"b\"}} | {\"redisList\":{\"key\":\"a\\\"b\",\"payload\":\"job\"}}",
                "{\"redisList\":{\"key\":\"é\",\"payload\":\"id\"}} | {\"redisList\":{\"key\":\"é\",\"payload\":\"id\"}}",
                "{\"webhook\":{\"secrets\":[\"whsec_0123456789\"]}} | {\"webhook\":{}}",
                "{\"webhook\":{\"success\":\"2xx\"}} | {\"webhook\":{\"success\":\"2xx\"}}"
            })
    void shows_only_what_was_set(String set, String shown) {
        assertEquals(shown, shown(set));
    }

    private static String shown(String json) {
        return SettingsJson.write(SettingsRequest.read(json.getBytes(StandardCharsets.UTF_8), AnyTarget.ANY))
                .toString();
    }
}
