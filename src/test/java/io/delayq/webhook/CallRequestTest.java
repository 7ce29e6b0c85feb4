package io.delayq.webhook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.job.Callback;
import io.delayq.job.Delivery;
import io.delayq.job.TopicSettings.Webhook;
import io.vertx.core.buffer.Buffer;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CallRequestTest {
    private static final long CREATED = 1_794_830_400_000L;
    private static final String URL = "https://shop.example:8443/close?a=1%202";

    @Test
    void says_who_what_and_how_often() {
        CallRequest request = request("order", "1001", "POST", Map.of("X-App", "shop"), "{\"n\":1}");
        assertEquals(
                Map.of(
                        "X-App", "shop",
                        "content-type", "application/json",
                        "user-agent", "delayq",
                        "webhook-id", "order/1001/mwj7og00",
                        "webhook-timestamp", "1794830401",
                        "webhook-signature", request.headers().get("webhook-signature"),
                        "delayq-topic", "order",
                        "delayq-id", "1001",
                        "delayq-attempt", "3",
                        "traceparent", "00-1-2-01"),
                request.headers());
        assertTrue(request.headers().get("webhook-signature").matches("v1,[A-Za-z0-9+/]{43}="));
        assertEquals("{\"n\":1}", request.body().toString());
        assertEquals("shop.example", request.host());
        assertEquals(8443, request.port());
        assertEquals("/close?a=1%202", request.target());
    }

    @Test
    void an_id_that_no_header_can_have_is_percent_encoded() {
        CallRequest request = request("order", "a b%é", "POST", Map.of(), "1");
        assertEquals("a%20b%25%C3%A9", request.headers().get("delayq-id"));
        assertTrue(request.headers().get("webhook-id").startsWith("order/a%20b%25%C3%A9/"));
    }

    @Test
    void a_get_has_no_body() {
        CallRequest request = request("order", "1", "GET", Map.of(), "{\"n\":1}");
        assertEquals(0, request.body().length());
        assertFalse(request.headers().containsKey("content-type"));
    }

    @Test
    void a_text_goes_as_it_is_where_json_is_not_wanted() {
        Map<String, String> form = Map.of("Content-Type", "application/x-www-form-urlencoded");
        assertEquals(
                "a=1&b=é",
                request("t", "1", "POST", form, "\"a=1&b=\\u00e9\"").body().toString());
        assertEquals(
                "{\"a\":1}", request("t", "1", "POST", form, "{\"a\":1}").body().toString());
        assertEquals(
                "\"a\"", request("t", "1", "POST", Map.of(), "\"a\"").body().toString());
        assertEquals(
                "\"a\"",
                request("t", "1", "POST", Map.of("content-type", "application/vnd.shop+json"), "\"a\"")
                        .body()
                        .toString());
    }

    @Test
    void can_be_repeated_by_hand() {
        CallRequest request = request("t", "1", "PUT", Map.of("X-A", "it's", "X-B", ""), "\"it's\"");
        String curl = request.curl();
        assertTrue(curl.startsWith("curl -g -X PUT '" + URL + "' "), curl);
        assertTrue(curl.contains(" -H 'x-a: it'\\''s' -H 'X-B;' "), curl);
        assertTrue(curl.endsWith(" --data-raw '\"it'\\''s\"'"), curl);
        String longer = "\"" + "x".repeat(2_000) + "\"";
        assertTrue(request("t", "1", "PUT", Map.of(), longer).curl().endsWith(" --data-binary @body"));
    }

    private static CallRequest request(
            String topic, String id, String method, Map<String, String> headers, String body) {
        Callback callback = new Callback(URL, method, headers);
        Webhook webhook = new Webhook(List.of("0123456789abcdef"), null);
        Delivery.Hook hook = new Delivery.Hook(callback, webhook, CREATED, CREATED, false);
        Delivery job = new Delivery(topic, id, "l", 3, 10, 0, 0, "00-1-2-01", Buffer.buffer(body), hook);
        return CallRequest.of(job, URI.create(URL), CREATED / 1_000 + 1);
    }
}
