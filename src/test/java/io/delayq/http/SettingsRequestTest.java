package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.job.Backoff;
import io.delayq.job.Callback;
import io.delayq.job.Priority;
import io.delayq.job.Retry;
import io.delayq.job.TopicSettings;
import io.delayq.job.TopicSettings.OnExpire;
import io.delayq.job.TopicSettings.RedisList;
import io.delayq.job.TopicSettings.RedisList.Payload;
import io.delayq.job.TopicSettings.Webhook;
import io.delayq.job.TopicSettings.Webhook.Success;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsRequestTest {
    private static final String SECRET = "whsec_0123456789";

    /** Everything that can be set at once; redisList goes without a callback. */
    static final String ALL =
            """
            { "ttr": "90s", "retry": {"maxAttempts": 6, "backoff": ["5s","1h"]}, "priority": "high", "ttl": "2h",
              "onExpire": "dead",
              "callback": {"url": "https://shop.example/close", "method": "PUT", "headers": {"X-App": "shop"}},
              "webhook": {"secrets": ["whsec_0123456789", "whsec_9876543210"], "success": "success-true"},
              "keepDone": "1d", "keepDead": "30d", "maxInFlight": 50, "ratePerSecond": 200 }
            """;

    // what is taken

    @Test
    void reads_every_setting() {
        assertEquals(
                new TopicSettings(
                        90_000L,
                        new Retry(6, new Backoff.Steps(List.of(5_000L, 3_600_000L))),
                        Priority.HIGH,
                        7_200_000L,
                        OnExpire.DEAD,
                        new Callback("https://shop.example/close", "PUT", Map.of("X-App", "shop")),
                        new Webhook(List.of(SECRET, "whsec_9876543210"), Success.SUCCESS_TRUE),
                        null,
                        86_400_000L,
                        30 * 86_400_000L,
                        50,
                        200),
                read(ALL));
        assertEquals(
                new RedisList("jobs:due", Payload.ID),
                read("{\"redisList\":{\"payload\":\"id\",\"key\":\"jobs:due\"}}")
                        .redisList());
    }

    @Test
    void an_empty_object_sets_nothing() {
        assertEquals(TopicSettings.NONE, read("{}"));
        assertEquals(TopicSettings.NONE, read(" {\"retry\":{}, \"webhook\":{}} "));
    }

    @Test
    void parts_that_are_left_out_stay_unset_or_get_the_contracts_default() {
        assertEquals(new Retry(3, null), read("{\"retry\":{\"maxAttempts\":3}}").retry());
        assertEquals(
                new Retry(null, Backoff.DEFAULT),
                read("{\"retry\":{\"backoff\":{}}}").retry());
        assertEquals(
                new RedisList("k", Payload.JOB),
                read("{\"redisList\":{\"key\":\"k\"}}").redisList());
        assertEquals(
                new Webhook(List.of(SECRET), null),
                read("{\"webhook\":{\"secrets\":[\"" + SECRET + "\"]}}").webhook());
        assertEquals(
                new Webhook(List.of(), Success.ANY_2XX),
                read("{\"webhook\":{\"success\":\"2xx\"}}").webhook());
        assertEquals(
                new Callback("http://127.0.0.1/", "POST", Map.of()),
                read("{\"callback\":{\"url\":\"http://127.0.0.1/\"}}").callback());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"ttr\":\"100ms\"}",
                "{\"ttr\":\"24h\"}",
                "{\"ttr\":86400000}",
                "{\"ttl\":\"1s\"}",
                "{\"ttl\":\"3650d\"}",
                "{\"keepDone\":0}",
                "{\"keepDone\":\"365d\"}",
                "{\"keepDead\":\"0s\"}",
                "{\"keepDead\":31536000000}",
                "{\"maxInFlight\":1}",
                "{\"maxInFlight\":1000000}",
                "{\"ratePerSecond\":1}",
                "{\"ratePerSecond\":1000000}",
                "{\"priority\":\"normal\"}",
                "{\"priority\":\"low\"}",
                "{\"onExpire\":\"drop\"}",
                "{\"retry\":{\"maxAttempts\":0}}",
                "{\"retry\":{\"maxAttempts\":1000,\"backoff\":{\"base\":\"24h\",\"factor\":10,\"max\":\"30d\",\"jitter\":1}}}",
                "{\"callback\":{\"url\":\"http://127.0.0.1/\"},\"webhook\":{\"success\":\"2xx\"}}",
                "{\"redisList\":{\"key\":\"k\",\"payload\":\"job\"},\"webhook\":{\"success\":\"2xx\"}}"
            })
    void takes_each_bound(String json) {
        assertFalse(read(json).equals(TopicSettings.NONE));
    }

    @ParameterizedTest
    @CsvSource({"16, 1", "256, 1", "16, 2", "256, 2"})
    void takes_secrets_up_to_their_bounds(int length, int count) {
        // of two chars each: characters count, not what they are kept in
        String secrets = "\"" + "😀".repeat(length) + "\"" + (count == 2 ? ",\"" + "x".repeat(length) + "\"" : "");
        assertEquals(
                count,
                read("{\"webhook\":{\"secrets\":[" + secrets + "]}}")
                        .webhook()
                        .secrets()
                        .size());
    }

    @Test
    void takes_a_key_up_to_512_bytes() {
        for (String key : List.of("k", ".", "é".repeat(256), "{app}:due jobs")) {
            assertEquals(
                    key,
                    read("{\"redisList\":{\"key\":\"" + key + "\"}}")
                            .redisList()
                            .key());
        }
    }

    // what is refused

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/ttr | {\"ttr\":99}",
                "/ttr | {\"ttr\":86400001}",
                "/ttr | {\"ttr\":\"1d1ms\"}",
                "/ttr | {\"ttr\":null}",
                "/ttr | {\"ttr\":60000.0}",
                "/ttl | {\"ttl\":\"999ms\"}",
                "/ttl | {\"ttl\":315360000001}",
                "/keepDone | {\"keepDone\":-1}",
                "/keepDone | {\"keepDone\":31536000001}",
                "/keepDead | {\"keepDead\":-1}",
                "/keepDead | {\"keepDead\":\"366d\"}",
                "/maxInFlight | {\"maxInFlight\":0}",
                "/maxInFlight | {\"maxInFlight\":1000001}",
                "/maxInFlight | {\"maxInFlight\":4294967297}",
                "/maxInFlight | {\"maxInFlight\":\"5\"}",
                "/maxInFlight | {\"maxInFlight\":null}",
                "/ratePerSecond | {\"ratePerSecond\":0}",
                "/ratePerSecond | {\"ratePerSecond\":1000001}",
                "/ratePerSecond | {\"ratePerSecond\":0.5}",
                "/priority | {\"priority\":\"urgent\"}",
                "/priority | {\"priority\":1}",
                "/onExpire | {\"onExpire\":\"keep\"}",
                "/onExpire | {\"onExpire\":\"DROP\"}",
                "/onExpire | {\"onExpire\":null}",
                "/retry | {\"retry\":null}",
                "/retry/maxAttempts | {\"retry\":{\"maxAttempts\":1001}}",
                "/retry/maxAttempts | {\"retry\":{\"maxAttempts\":-1}}",
                "/retry/backoff/base | {\"retry\":{\"backoff\":{\"base\":86400001}}}",
                "/retry/backoff/factor | {\"retry\":{\"backoff\":{\"factor\":0.9}}}",
                "/retry/backoff/max | {\"retry\":{\"backoff\":{\"max\":\"31d\"}}}",
                "/retry/backoff/jitter | {\"retry\":{\"backoff\":{\"jitter\":1.1}}}",
                "/retry/backoff | {\"retry\":{\"backoff\":[]}}",
                "/callback | {\"callback\":null}",
                "/callback/url | {\"callback\":{}}",
                "/callback/url | {\"callback\":{\"url\":\"ftp://127.0.0.1/\"}}",
                "/callback/method | {\"callback\":{\"url\":\"http://127.0.0.1/\",\"method\":\"DELETE\"}}",
                "/webhook | {\"webhook\":[]}",
                "/webhook/secrets | {\"webhook\":{\"secrets\":[]}}",
                "/webhook/secrets | {\"webhook\":{\"secrets\":null}}",
                "/webhook/success | {\"webhook\":{\"success\":\"200\"}}",
                "/webhook/success | {\"webhook\":{\"success\":null}}",
                "/webhook/secret | {\"webhook\":{\"secret\":\"whsec_0123456789\"}}",
                "/redisList | {\"redisList\":\"k\"}",
                "/redisList/key | {\"redisList\":{}}",
                "/redisList/key | {\"redisList\":{\"payload\":\"id\"}}",
                "/redisList/key | {\"redisList\":{\"key\":\"\"}}",
                "/redisList/key | {\"redisList\":{\"key\":7}}",
                "/redisList/key | {\"redisList\":{\"key\":\"a\\nb\"}}",
                "/redisList/key | {\"redisList\":{\"key\":\"\\u0085\"}}",
                "/redisList/key | {\"redisList\":{\"key\":\"\\ud800\"}}",
                "/redisList/payload | {\"redisList\":{\"key\":\"k\",\"payload\":\"body\"}}",
                "/redisList/list | {\"redisList\":{\"key\":\"k\",\"list\":1}}",
                "/topic | {\"topic\":\"order\"}",
                "'' | []",
                "'' | null"
            })
    void refuses_what_is_out_of_bounds(String pointer, String json) {
        assertEquals(List.of(pointer), faults(json));
    }

    @Test
    void refuses_secrets_that_are_too_short_too_long_too_many_or_no_text() {
        assertEquals(List.of("/webhook/secrets/0"), faults(secrets("\"" + "x".repeat(15) + "\"")));
        assertEquals(List.of("/webhook/secrets/0"), faults(secrets("\"" + "😀".repeat(15) + "\"")));
        assertEquals(List.of("/webhook/secrets/0"), faults(secrets("\"" + "x".repeat(257) + "\"")));
        assertEquals(List.of("/webhook/secrets/0"), faults(secrets("\"\\ud800" + "x".repeat(20) + "\"")));
        String valid = "\"" + SECRET + "\"";
        assertEquals(List.of("/webhook/secrets"), faults(secrets(valid + "," + valid + "," + valid)));
        assertEquals(
                List.of("/webhook/secrets/0", "/webhook/secrets/1"),
                faults(secrets("1234567890123456,{\"a\":[\"" + SECRET + "\"]}")));
    }

    @Test
    void refuses_a_key_longer_than_512_bytes() {
        assertEquals(List.of("/redisList/key"), faults("{\"redisList\":{\"key\":\"" + "é".repeat(256) + "x\"}}"));
    }

    @Test
    void a_fault_never_quotes_a_secret() {
        for (String json : List.of(
                secrets("\"short-secret\""),
                secrets("\"" + "short-secret".repeat(30) + "\""),
                secrets("7777777"),
                secrets("[\"short-secret\"]"),
                "{\"webhook\":{\"secrets\":\"short-secret\"}}",
                "{\"webhook\":{\"secrets\":7777777}}",
                "{\"webhook\":\"short-secret\"}",
                "{\"webhook\":7777777}",
                "{\"webhook\":{\"secret\":\"short-secret\"}}")) {
            String text = refused(json).toJson().toString();
            assertFalse(text.contains("short-secret") || text.contains("7777777"), text);
        }
    }

    @Test
    void a_job_goes_to_a_callback_or_to_a_list_and_not_to_both() {
        String callback = "\"callback\":{\"url\":\"http://127.0.0.1/\"}";
        String list = "\"redisList\":{\"key\":\"k\"}";
        assertEquals(List.of("/redisList"), faults("{" + callback + "," + list + "}"));
        assertEquals(List.of("/redisList"), faults("{" + list + "," + callback + "}"));
        assertEquals(
                List.of("/callback/url", "/redisList/key", "/redisList"), faults("{\"callback\":{},\"redisList\":{}}"));
    }

    @Test
    void names_every_fault_at_once() {
        assertEquals(
                List.of(
                        "/ttr",
                        "/retry/maxAttempts",
                        "/retry/backoff/factor",
                        "/retry/tries",
                        "/priority",
                        "/ttl",
                        "/onExpire",
                        "/callback/method",
                        "/callback/headers/Host",
                        "/callback/url",
                        "/webhook/secrets/0",
                        "/webhook/secrets",
                        "/webhook/success",
                        "/webhook/sucess",
                        "/redisList/key",
                        "/redisList/payload",
                        "/keepDone",
                        "/keepDead",
                        "/maxInFlight",
                        "/ratePerSecond",
                        "/keepdead",
                        "/redisList"),
                faults(
                        """
                        { "ttr": 1, "retry": {"maxAttempts": 1001, "backoff": {"factor": 11}, "tries": 1},
                          "priority": "highest", "ttl": 1, "onExpire": "keep",
                          "callback": {"method": "PATCH", "headers": {"Host": "a"}},
                          "webhook": {"secrets": ["a", "0123456789abcdef", "0123456789abcdef"], "success": "yes", "sucess": "2xx"},
                          "redisList": {"key": "", "payload": "body"}, "keepDone": "366d", "keepDead": -1,
                          "maxInFlight": 0, "ratePerSecond": 1000001, "keepdead": 1 }
                        """));
    }

    @Test
    void an_unknown_field_is_named_with_the_nearest_known_one() {
        assertTrue(refused("{\"maxInflight\":5}").oneLine().contains("did you mean maxInFlight?"));
        assertTrue(refused("{\"colour\":5}").oneLine().contains("known are ttr, retry"));
        assertTrue(refused("{\"webhook\":{\"sucess\":\"2xx\"}}").oneLine().contains("did you mean success?"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "{", "{} {}", "x", "{\"ttr\":1000,\"ttr\":1000}", "{'ttr':1000}", "/**/{}"})
    void refuses_what_is_not_one_json_object(String json) {
        assertEquals(400, refused(json).status());
    }

    private static String secrets(String list) {
        return "{\"webhook\":{\"secrets\":[" + list + "]}}";
    }

    private static TopicSettings read(String json) {
        return SettingsRequest.read(json.getBytes(StandardCharsets.UTF_8), AnyTarget.ANY);
    }

    private static List<String> faults(String json) {
        return refused(json).faults().stream().map(Faults.Fault::pointer).toList();
    }

    private static Problem refused(String json) {
        return assertThrows(Problem.class, () -> read(json));
    }
}
