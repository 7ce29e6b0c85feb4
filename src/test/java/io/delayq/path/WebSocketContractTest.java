package io.delayq.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.delayq.config.Settings;
import io.delayq.redis.TestRedis;
import io.netty.util.internal.PlatformDependent;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The WebSocket part of the wire contract to the letter, with a client that is not ours. */
class WebSocketContractTest {
    private static final int MIB = 1 << 20;
    private static final AtomicInteger topics = new AtomicInteger();
    private static TestServer server;
    private static TestServer guarded;

    @BeforeAll
    static void start() {
        server = TestServer.start();
        guarded = TestServer.start(set -> new Settings(
                set.http(),
                set.dataDir(),
                set.redis(),
                set.namespace(),
                set.buckets(),
                set.instances(),
                List.of(
                        token("consumer", List.of("consume"), List.of("shop.*")),
                        token("pusher", List.of("push"), List.of("shop.*")),
                        token("admin", List.of("admin"), List.of("*"))),
                false));
    }

    @AfterAll
    static void stop() {
        server.close();
        guarded.close();
    }

    private static Settings.Token token(String secret, List<String> rights, List<String> topics) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
            return new Settings.Token(secret, HexFormat.of().formatHex(hash), rights, topics);
        } catch (java.security.NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static String freshTopic() {
        return "topic-" + topics.incrementAndGet();
    }

    private static GenericClient connect() {
        return GenericClient.connect(server);
    }

    private static int refusedHandshake(TestServer at, WebSocket.Builder builder) {
        CompletionException error = assertThrows(
                CompletionException.class, () -> GenericClient.dial(at, builder, new WebSocket.Listener() {})
                        .join());
        return assertInstanceOf(WebSocketHandshakeException.class, error.getCause())
                .getResponse()
                .statusCode();
    }

    private static JsonObject counts(String topic) {
        return server.get("/v1/topics/" + topic).json();
    }

    private static void awaitCounts(String topic, int ready, int reserved) {
        TestRedis.await(ready + " ready, " + reserved + " reserved", Duration.ofSeconds(10), () -> {
            JsonObject counts = counts(topic);
            return Integer.valueOf(ready).equals(counts.getInteger("ready"))
                    && Integer.valueOf(reserved).equals(counts.getInteger("reserved"));
        });
    }

    private static void push(String topic, int count) {
        JsonArray jobs = new JsonArray();
        for (int i = 0; i < count; i++) {
            jobs.add(new JsonObject().put("topic", topic).put("body", i));
        }
        assertEquals(count, server.post("/v1/jobs", jobs.encode()).json().getInteger("accepted"));
    }

    private static String ack(String topic, JsonObject job, String ref) {
        return GenericClient.settling("ack", topic, List.of(job), ref);
    }

    // the handshake

    @Test
    void an_offered_subprotocol_is_selected_and_none_is_fine_too() {
        try (GenericClient with =
                        GenericClient.connect(server, GenericClient.builder().subprotocols(GenericClient.SUBPROTOCOL));
                GenericClient without = connect()) {
            assertEquals("delayq.v1.json", with.subprotocol());
            assertEquals("", without.subprotocol());
            with.send("{\"op\":\"ping\"}").expect("pong");
            without.send("{\"op\":\"ping\"}").expect("pong");
        }
    }

    @Test
    void a_get_without_upgrade_is_400() {
        TestServer.Reply reply = server.get("/v1/ws");
        assertEquals(400, reply.status());
        assertEquals("/problems/invalid-request", reply.type());
    }

    @Test
    void a_page_of_another_origin_is_403() {
        assertEquals(403, refusedHandshake(server, GenericClient.builder().header("Origin", "https://evil.example")));
        String own = "http://127.0.0.1:" + server.port();
        try (GenericClient client =
                GenericClient.connect(server, GenericClient.builder().header("Origin", own))) {
            client.send("{\"op\":\"ping\"}").expect("pong");
        }
    }

    @Test
    void compression_is_not_negotiated() throws IOException {
        try (RawSocket socket =
                new RawSocket(server, "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits")) {
            assertTrue(socket.head.startsWith("HTTP/1.1 101 "), socket.head);
            assertFalse(socket.head.toLowerCase().contains("sec-websocket-extensions"), socket.head);
            assertFalse(socket.head.contains("deflate"), socket.head);
            socket.text("{\"op\":\"ping\"}");
            assertEquals("{\"op\":\"pong\"}", socket.read().data());
        }
    }

    // rights

    @Test
    void a_handshake_without_a_known_token_is_401_and_without_a_fitting_right_403() {
        assertEquals(401, refusedHandshake(guarded, GenericClient.builder()));
        assertEquals(
                401, refusedHandshake(guarded, GenericClient.builder().header("Authorization", "Bearer nonsense")));
        assertEquals(403, refusedHandshake(guarded, GenericClient.builder().header("Authorization", "Bearer admin")));
    }

    @Test
    void a_consumer_cannot_push_and_a_pusher_cannot_consume_and_both_stay_connected() {
        try (GenericClient consumer = GenericClient.connect(guarded, "consumer");
                GenericClient pusher = GenericClient.connect(guarded, "pusher")) {
            String push = "{\"op\":\"push\",\"ref\":1,\"jobs\":[{\"topic\":\"shop.a\",\"id\":\"x\"}]}";
            String subscribe = "{\"op\":\"subscribe\",\"ref\":2,\"topic\":\"shop.a\"}";
            String cancel = "{\"op\":\"cancel\",\"ref\":3,\"topic\":\"shop.a\",\"ids\":[\"x\"]}";
            assertForbidden(consumer.send(push).expect("error"), 1);
            assertForbidden(consumer.send(cancel).expect("error"), 3);
            consumer.send(subscribe).expect("subscribed");
            assertForbidden(pusher.send(subscribe).expect("error"), 2);
            for (String op : List.of("ack", "nack", "extend")) {
                assertForbidden(
                        pusher.send(
                                        "{\"op\":\"" + op
                                                + "\",\"ref\":4,\"topic\":\"shop.a\",\"jobs\":[{\"id\":\"x\",\"lease\":\"l\"}]}")
                                .expect("error"),
                        4);
            }
            pusher.send(push).expect("pushed");
            assertEquals("x", consumer.job().getString("id"));
            assertEquals(1, pusher.send(cancel).expect("cancelled").getInteger("cancelled"));
        }
    }

    @Test
    void a_token_is_for_its_topics_only() {
        try (GenericClient consumer = GenericClient.connect(guarded, "consumer");
                GenericClient pusher = GenericClient.connect(guarded, "pusher")) {
            assertForbidden(
                    consumer.send("{\"op\":\"subscribe\",\"ref\":1,\"topic\":\"bank.a\"}")
                            .expect("error"),
                    1);
            assertForbidden(
                    consumer.send(
                                    "{\"op\":\"ack\",\"ref\":2,\"topic\":\"bank.a\",\"jobs\":[{\"id\":\"x\",\"lease\":\"l\"}]}")
                            .expect("error"),
                    2);
            consumer.send("{\"op\":\"subscribe\",\"topic\":\"shop.b\"}").expect("subscribed");
            JsonArray rows = pusher.send(
                            "{\"op\":\"push\",\"jobs\":[{\"topic\":\"bank.a\"},{\"topic\":\"shop.b\",\"id\":\"y\"}]}")
                    .expect("pushed")
                    .getJsonArray("results");
            assertEquals(403, rows.getJsonObject(0).getInteger("status"));
            assertEquals("/problems/forbidden", rows.getJsonObject(0).getString("type"));
            assertEquals(201, rows.getJsonObject(1).getInteger("status"));
            assertEquals("y", consumer.job().getString("id"));
        }
    }

    private static void assertForbidden(JsonObject error, int ref) {
        assertEquals("/problems/forbidden", error.getJsonObject("problem").getString("type"));
        assertEquals(403, error.getJsonObject("problem").getInteger("status"));
        assertEquals(ref, error.getInteger("ref"));
    }

    // subscriptions and flow control

    @Test
    void one_connection_has_several_subscriptions() {
        String one = freshTopic();
        String two = freshTopic();
        try (GenericClient client = connect()) {
            client.subscribe(one, 1).subscribe(two, 1);
            push(one, 1);
            assertEquals(one, client.expect("jobs").getString("topic"));
            push(two, 1);
            assertEquals(two, client.expect("jobs").getString("topic"));
        }
    }

    @Test
    void at_most_prefetch_jobs_are_unsettled_at_any_time() {
        String topic = freshTopic();
        int prefetch = 5;
        int all = 40;
        try (GenericClient client = connect()) {
            client.subscribe(topic, prefetch);
            push(topic, all);
            List<JsonObject> unsettled = new ArrayList<>(client.jobs(prefetch));
            awaitCounts(topic, all - prefetch, prefetch);
            client.expectNothingElse();
            Set<String> seen = new HashSet<>();
            unsettled.forEach(job -> seen.add(job.getString("id")));
            while (seen.size() < all) {
                // each that is settled makes room for one more, and for no more
                client.send(ack(topic, unsettled.remove(0), null));
                JsonObject job = client.jobs(1).get(0);
                assertTrue(seen.add(job.getString("id")), "twice");
                unsettled.add(job);
            }
            client.expectNothingElse();
        }
    }

    @Test
    void a_second_subscribe_sets_the_prefetch() {
        String topic = freshTopic();
        try (GenericClient client = connect()) {
            client.subscribe(topic, 2);
            push(topic, 10);
            client.jobs(2);
            awaitCounts(topic, 8, 2);
            JsonObject answer = client.send(
                            "{\"op\":\"subscribe\",\"topic\":\"" + topic + "\",\"prefetch\":5,\"ref\":\"up\"}")
                    .expect("subscribed");
            assertEquals(5, answer.getInteger("prefetch"));
            assertEquals("up", answer.getString("ref"));
            List<JsonObject> held = client.jobs(3);
            awaitCounts(topic, 5, 5);
            client.subscribe(topic, 1);
            client.send(GenericClient.settling("ack", topic, held, "some")).expect("acked");
            awaitCounts(topic, 5, 2);
            client.expectNothingElse();
        }
    }

    @Test
    void unsubscribing_keeps_what_is_leased_and_brings_no_more() {
        String topic = freshTopic();
        try (GenericClient client = connect()) {
            client.subscribe(topic, 10);
            push(topic, 2);
            List<JsonObject> held = client.jobs(2);
            JsonObject answer = client.send("{\"op\":\"unsubscribe\",\"topic\":\"" + topic + "\",\"ref\":1}")
                    .expect("unsubscribed");
            assertEquals(topic, answer.getString("topic"));
            push(topic, 3);
            awaitCounts(topic, 3, 2);
            client.expectNothingElse();
            assertEquals(
                    2,
                    client.send(GenericClient.settling("ack", topic, held, "r"))
                            .expect("acked")
                            .getInteger("acked"));
            awaitCounts(topic, 3, 0);
        }
    }

    @Test
    void subscribing_again_counts_what_is_still_held() {
        String topic = freshTopic();
        try (GenericClient client = connect()) {
            client.subscribe(topic, 8);
            push(topic, 6);
            List<JsonObject> held = client.jobs(6);
            client.send("{\"op\":\"unsubscribe\",\"topic\":\"" + topic + "\"}").expect("unsubscribed");
            push(topic, 20);
            client.subscribe(topic, 8);
            client.jobs(2);
            awaitCounts(topic, 18, 8);
            client.expectNothingElse();
            client.send(GenericClient.settling("ack", topic, held, null));
            client.jobs(6);
            awaitCounts(topic, 12, 8);
        }
    }

    @Test
    void settling_elsewhere_frees_the_place() {
        String topic = freshTopic();
        try (GenericClient client = connect();
                GenericClient other = connect()) {
            client.subscribe(topic, 1);
            push(topic, 3);
            JsonObject first = client.job();
            assertEquals(1, other.send(ack(topic, first, "r")).expect("acked").getInteger("acked"));
            long settled = System.nanoTime();
            JsonObject second = client.job();
            assertTrue(millisSince(settled) < 3_000, millisSince(settled) + " ms");
            assertEquals(
                    204,
                    server.settle("ack", second.copy().put("topic", topic), "").status());
            settled = System.nanoTime();
            client.job();
            assertTrue(millisSince(settled) < 3_000, millisSince(settled) + " ms");
        }
    }

    @Test
    void two_thousand_subscribes_get_a_thousand_subscriptions_and_the_server_goes_on() {
        String topic = freshTopic();
        try (GenericClient client = connect()) {
            for (int i = 0; i < 2_000; i++) {
                client.send("{\"op\":\"subscribe\",\"ref\":" + i + ",\"topic\":\"" + topic + "." + i + "\"}");
                JsonObject answer = client.expect(i < 1_000 ? "subscribed" : "error");
                assertEquals(i, answer.getInteger("ref"));
                if (i >= 1_000) {
                    assertEquals(400, answer.getJsonObject("problem").getInteger("status"));
                    // a good message, so that the bad ones are not in a row; one more on a known topic is good too
                    client.send("{\"op\":\"subscribe\",\"topic\":\"" + topic + ".7\"}")
                            .expect("subscribed");
                }
            }
            client.send("{\"op\":\"unsubscribe\",\"topic\":\"" + topic + ".0\"}")
                    .expect("unsubscribed");
            client.subscribe(topic + ".1999", 1);
            push(topic + ".1999", 1);
            client.job();
        }
    }

    // settling

    @Test
    void acks_are_answered_only_if_asked_or_stale() {
        String topic = freshTopic();
        try (GenericClient client = connect()) {
            client.subscribe(topic, 10);
            push(topic, 3);
            List<JsonObject> jobs = client.jobs(3);
            client.send(ack(topic, jobs.get(0), null));
            client.send(ack(topic, jobs.get(1), "asked"));
            assertEquals(
                    new JsonObject()
                            .put("op", "acked")
                            .put("topic", topic)
                            .put("ref", "asked")
                            .put("acked", 1)
                            .put("stale", new JsonArray()),
                    client.expect("acked"));
            client.send(GenericClient.settling("ack", topic, jobs, null));
            JsonObject answer = client.expect("acked");
            assertEquals(1, answer.getInteger("acked"));
            assertEquals(
                    new JsonArray()
                            .add(jobs.get(0).getString("id"))
                            .add(jobs.get(1).getString("id")),
                    answer.getJsonArray("stale"));
            assertFalse(answer.containsKey("ref"));
        }
    }

    @Test
    void foreign_and_old_leases_are_stale() {
        String topic = freshTopic();
        try (GenericClient client = connect()) {
            client.subscribe(topic, 1);
            push(topic, 1);
            JsonObject old = client.job();
            client.send("{\"op\":\"nack\",\"topic\":\"" + topic + "\",\"jobs\":[{\"id\":\"" + old.getString("id")
                    + "\",\"lease\":\"" + old.getString("lease") + "\",\"delay\":0}]}");
            JsonObject again = client.job();
            assertEquals(2, again.getInteger("attempt"));
            JsonArray stale = new JsonArray().add(old.getString("id"));
            for (JsonObject wrong :
                    List.of(old, old.copy().put("lease", ""), old.copy().put("lease", "made up"))) {
                JsonObject acked = client.send(ack(topic, wrong, "r")).expect("acked");
                assertEquals(0, acked.getInteger("acked"));
                assertEquals(stale, acked.getJsonArray("stale"));
                JsonObject nacked = client.send(GenericClient.settling("nack", topic, List.of(wrong), null))
                        .expect("nacked");
                assertEquals(0, nacked.getInteger("nacked"));
                assertEquals(stale, nacked.getJsonArray("stale"));
                JsonObject extended = client.send(GenericClient.settling("extend", topic, List.of(wrong), null))
                        .expect("extended");
                assertEquals(new JsonArray(), extended.getJsonArray("jobs"));
                assertEquals(stale, extended.getJsonArray("stale"));
            }
            assertEquals(1, client.send(ack(topic, again, "r")).expect("acked").getInteger("acked"));
        }
    }

    @Test
    void an_extended_lease_lasts_from_now_on() {
        String topic = freshTopic();
        try (GenericClient client = connect()) {
            client.subscribe(topic, 1);
            server.push(topic, "{\"ttr\":\"1s\"}");
            JsonObject job = client.job();
            client.send("{\"op\":\"extend\",\"ref\":1,\"topic\":\"" + topic + "\",\"jobs\":[{\"id\":\""
                    + job.getString("id") + "\",\"lease\":\"" + job.getString("lease") + "\",\"ttr\":\"60s\"}]}");
            JsonObject extended = client.expect("extended").getJsonArray("jobs").getJsonObject(0);
            assertEquals(job.getString("id"), extended.getString("id"));
            assertTrue(extended.getLong("deadline") >= job.getLong("deadline") + 58_000);
        }
    }

    @Test
    void pushing_and_cancelling_answer_as_written() {
        String topic = freshTopic();
        try (GenericClient client = connect()) {
            JsonObject pushed = client.send("{\"op\":\"push\",\"ref\":7,\"jobs\":[{\"topic\":\"" + topic
                            + "\",\"id\":\"a\",\"delay\":\"1h\"},{\"topic\":\"" + topic
                            + "\",\"id\":\"a\"},{\"topic\":7}]}")
                    .expect("pushed");
            assertEquals(7, pushed.getInteger("ref"));
            JsonObject first = pushed.getJsonArray("results").getJsonObject(0);
            assertEquals(
                    new JsonObject()
                            .put("index", 0)
                            .put("status", 201)
                            .put("topic", topic)
                            .put("id", "a")
                            .put("state", "delayed")
                            .put("due", first.getLong("due")),
                    first);
            JsonObject second = pushed.getJsonArray("results").getJsonObject(1);
            assertEquals(409, second.getInteger("status"));
            assertEquals("/problems/job-exists", second.getString("type"));
            JsonObject third = pushed.getJsonArray("results").getJsonObject(2);
            assertEquals(400, third.getInteger("status"));
            assertNull(third.getString("id"));
            JsonObject cancelled = client.send(
                            "{\"op\":\"cancel\",\"ref\":8,\"topic\":\"" + topic + "\",\"ids\":[\"a\",\"b\"]}")
                    .expect("cancelled");
            assertEquals(1, cancelled.getInteger("cancelled"));
            assertEquals(8, cancelled.getInteger("ref"));
            assertEquals(404, server.get("/v1/topics/" + topic + "/jobs/a").status());
        }
    }

    @Test
    void ping_is_answered_with_its_ref_as_spelled() throws IOException {
        try (RawSocket socket = new RawSocket(server)) {
            socket.text("{\"op\":\"ping\",\"ref\":9.50}");
            assertEquals("{\"op\":\"pong\",\"ref\":9.50}", socket.read().data());
            socket.frame(RawSocket.FINAL | RawSocket.PING, "hello".getBytes(StandardCharsets.US_ASCII));
            RawSocket.Frame pong = socket.read();
            assertEquals(RawSocket.PONG, pong.opcode());
            assertEquals("hello", pong.data());
        }
    }

    // bad messages

    @Test
    void a_bad_message_is_answered_with_its_ref_and_the_connection_stays() {
        try (GenericClient client = connect()) {
            JsonObject error = client.send("{\"op\":\"subscribe\",\"ref\":\"mine\",\"prefetch\":0}")
                    .expect("error");
            assertEquals("mine", error.getString("ref"));
            JsonObject problem = error.getJsonObject("problem");
            assertEquals("/problems/invalid-request", problem.getString("type"));
            assertEquals(2, problem.getJsonArray("errors").size());
            assertEquals(
                    "deux",
                    client.send("{\"op\":\"dance\",\"ref\":\"deux\"}")
                            .expect("error")
                            .getString("ref"));
            assertFalse(client.send("garbage").expect("error").containsKey("ref"));
            client.send("{\"op\":\"ping\"}").expect("pong");
        }
    }

    @Test
    void the_twentieth_bad_message_in_a_row_closes_with_1008() {
        try (GenericClient client = connect()) {
            for (int i = 0; i < 19; i++) {
                client.send("{\"op\":\"dance\"}").expect("error");
            }
            client.send("{\"op\":\"ping\"}").expect("pong");
            for (int i = 0; i < 20; i++) {
                client.send("garbage").expect("error");
            }
            assertEquals(1008, client.closeCode());
        }
    }

    @Test
    void nothing_is_done_for_what_follows_the_twentieth_bad_message() throws IOException {
        String topic = freshTopic();
        try (RawSocket socket = new RawSocket(server)) {
            for (int i = 0; i < 20; i++) {
                socket.text("garbage");
            }
            socket.text("{\"op\":\"push\",\"jobs\":[{\"topic\":\"" + topic + "\"}]}");
            assertEquals(1008, socket.closeCode());
        }
        push(topic + "-other", 1);
        assertEquals(404, server.get("/v1/topics/" + topic).status());
    }

    @Test
    void a_binary_message_closes_with_1003() {
        try (GenericClient client = connect()) {
            client.sendBinary("{\"op\":\"ping\"}".getBytes(StandardCharsets.US_ASCII));
            assertEquals(1003, client.closeCode());
            assertEquals(List.of(), client.received);
        }
    }

    @Test
    void a_message_of_a_mebibyte_is_read_and_one_byte_more_closes_with_1009() {
        String frame = "{\"op\":\"ping\"}";
        try (GenericClient client = connect()) {
            client.send(frame + " ".repeat(MIB - frame.length())).expect("pong");
        }
        try (GenericClient client = connect()) {
            client.sendPart(frame, false);
            for (int at = frame.length(); at < MIB; at += 4_096) {
                client.sendPart(" ".repeat(Math.min(4_096, MIB - at)), at + 4_096 >= MIB);
            }
            client.expect("pong");
        }
        assertEquals(1009, afterOneFrameOf(MIB + 1));
        assertEquals(1009, afterOneFrameOf(10 * MIB));
    }

    private static int afterOneFrameOf(int bytes) {
        try (RawSocket socket = new RawSocket(server)) {
            try {
                socket.frame(RawSocket.FINAL | RawSocket.TEXT, new byte[bytes]);
            } catch (IOException closedMeanwhile) {
                // the close frame is there to be read all the same
            }
            return socket.closeCode();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void a_mebibyte_in_many_frames_and_more_closes_with_1009_and_nothing_else_comes() throws IOException {
        try (RawSocket socket = new RawSocket(server)) {
            byte[] part = " ".repeat(64 * 1_024).getBytes(StandardCharsets.US_ASCII);
            socket.frame(RawSocket.TEXT, part);
            for (int i = 0; i < 17; i++) {
                socket.frame(0, part);
            }
            socket.frame(RawSocket.FINAL, "{\"op\":\"ping\"}".getBytes(StandardCharsets.US_ASCII));
            RawSocket.Frame frame = socket.read();
            assertEquals(RawSocket.CLOSE, frame.opcode(), frame.data());
            assertEquals(1009, frame.closeCode());
        }
    }

    @Test
    void a_compressed_frame_closes_the_connection() throws IOException {
        try (RawSocket socket = new RawSocket(server, "Sec-WebSocket-Extensions: permessage-deflate")) {
            socket.frame(
                    RawSocket.FINAL | RawSocket.COMPRESSED | RawSocket.TEXT,
                    deflated("{\"op\":\"ping\"}".getBytes(StandardCharsets.US_ASCII)));
            assertEquals(1002, socket.closeCode());
        }
        try (RawSocket socket = new RawSocket(server, "Sec-WebSocket-Extensions: permessage-deflate")) {
            byte[] bomb = deflated(new byte[60 * MIB]);
            assertTrue(bomb.length < 65_000, bomb.length + " bytes");
            long before = allocated();
            socket.frame(RawSocket.FINAL | RawSocket.COMPRESSED | RawSocket.TEXT, bomb);
            assertEquals(1002, socket.closeCode());
            // all that the event loops ever took while it came, so no peak can be higher
            long taken = allocated() - before;
            assertTrue(taken < 8_000_000, "took " + taken + " bytes");
        }
        try (GenericClient client = connect()) {
            client.send("{\"op\":\"ping\"}").expect("pong");
        }
    }

    /** Bytes that event loops have allocated on the heap so far, and what is in use outside of it. */
    private static long allocated() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long heap = 0;
        for (long id : threads.getAllThreadIds()) {
            ThreadInfo info = threads.getThreadInfo(id);
            if (info != null && info.getThreadName().startsWith("vert.x-eventloop")) {
                heap += threads.getThreadAllocatedBytes(id);
            }
        }
        return heap + PlatformDependent.usedDirectMemory();
    }

    private static byte[] deflated(byte[] bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (DeflaterOutputStream deflater =
                new DeflaterOutputStream(out, new Deflater(Deflater.BEST_COMPRESSION, true))) {
            deflater.write(bytes);
        }
        return out.toByteArray();
    }

    @Test
    void bad_frames_right_behind_the_handshake_get_their_close_code_too() throws IOException {
        for (int i = 0; i < 20; i++) {
            try (RawSocket socket = new RawSocket(server)) {
                socket.frame(RawSocket.FINAL | RawSocket.COMPRESSED | RawSocket.TEXT, new byte[10]);
                assertEquals(1002, socket.closeCode());
            }
        }
    }

    @Test
    void a_connection_that_ended_makes_room_for_another() {
        try (TestServer small = TestServer.start(set -> new Settings(
                new Settings.Http("127.0.0.1", 0, 4, 75_000, 10_000),
                set.dataDir(),
                set.redis(),
                set.namespace(),
                set.buckets(),
                new Settings.Instances(1, 1, 1, 1, 0),
                set.tokens(),
                set.insecure()))) {
            for (int i = 0; i < 12; i++) {
                // the end of the one before may not have been seen yet
                TestRedis.await("room for connection " + i, () -> isServed(small));
            }
        }
    }

    private static boolean isServed(TestServer server) {
        try (GenericClient client = GenericClient.connect(server)) {
            client.send("{\"op\":\"ping\"}").expect("pong");
            return true;
        } catch (RuntimeException | AssertionError refused) {
            return false;
        }
    }

    @Test
    void an_ack_is_not_overtaken_by_the_end_of_its_connection() {
        String topic = freshTopic();
        int count = 600;
        try (GenericClient client = connect()) {
            client.subscribe(topic, count);
            push(topic, count);
            List<JsonObject> held = client.jobs(count);
            client.send(GenericClient.settling("ack", topic, held, null));
        }
        awaitCounts(topic, 0, 0);
        JsonObject counts = server.get("/v1/topics/" + topic).json();
        assertEquals(0, counts.getInteger("ready") + counts.getInteger("reserved") + counts.getInteger("delayed"));
        assertEquals("{\"jobs\":[]}", server.reserve(topic, 1, "0s").text());
    }

    @Test
    void connections_that_end_right_behind_the_handshake_are_forgotten() throws IOException {
        for (int i = 0; i < 50; i++) {
            new RawSocket(server).reset();
        }
        try (GenericClient client = connect()) {
            client.send("{\"op\":\"ping\"}").expect("pong");
            TestRedis.await(
                    "one session",
                    Duration.ofSeconds(10),
                    () -> sessions() <= 1 + server.settings.instances().gateway());
        }
    }

    private static double sessions() {
        return server.get("/metrics")
                .text()
                .lines()
                .filter(line -> line.contains("\"sessions\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    @Test
    void a_client_that_asks_and_never_reads_is_not_read_from_any_more() throws Exception {
        try (RawSocket socket = new RawSocket(server)) {
            String ping = "{\"op\":\"ping\",\"ref\":\"" + "x".repeat(4_000) + "\"}";
            AtomicInteger written = new AtomicInteger();
            Thread writer = new Thread(() -> {
                try {
                    while (written.get() < 100 * MIB) {
                        socket.text(ping);
                        written.addAndGet(ping.length());
                    }
                } catch (IOException closed) {
                    // the test is over
                }
            });
            writer.start();
            int[] last = {-1};
            long[] since = {System.nanoTime()};
            TestRedis.await("the writer to be stopped", Duration.ofSeconds(20), () -> {
                if (written.get() != last[0]) {
                    last[0] = written.get();
                    since[0] = System.nanoTime();
                }
                return millisSince(since[0]) > 500;
            });
            assertTrue(last[0] < 50 * MIB, last[0] + " bytes were taken");
            socket.reset();
            writer.join();
        }
    }

    // the end of a connection

    @Test
    void jobs_of_a_connection_that_was_closed_are_ready_again_at_once() {
        long[] took = new long[5];
        for (int i = 0; i < took.length; i++) {
            String topic = freshTopic();
            GenericClient first = connect();
            first.subscribe(topic, 1);
            push(topic, 1);
            first.job();
            took[i] = taken(topic, first::close);
        }
        assertSoon(took);
    }

    @Test
    void jobs_of_a_connection_that_was_reset_are_ready_again_at_once() throws IOException {
        long[] took = new long[5];
        for (int i = 0; i < took.length; i++) {
            String topic = freshTopic();
            RawSocket first = new RawSocket(server);
            first.text("{\"op\":\"subscribe\",\"topic\":\"" + topic + "\"}");
            first.read();
            push(topic, 1);
            assertTrue(first.read().data().startsWith("{\"op\":\"jobs\""));
            took[i] = taken(topic, () -> {
                try {
                    first.reset();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
        }
        assertSoon(took);
    }

    /** How long it takes until another consumer has the topic's only job, as its second attempt. */
    private static long taken(String topic, Runnable end) {
        try (GenericClient second = connect()) {
            second.subscribe(topic, 1);
            long from = System.nanoTime();
            end.run();
            JsonObject job = second.job();
            long millis = millisSince(from);
            assertEquals(2, job.getInteger("attempt"));
            second.send(ack(topic, job, "r")).expect("acked");
            return millis;
        }
    }

    private static void assertSoon(long[] took) {
        Arrays.sort(took);
        System.out.println(
                "jobs of a lost connection were with another consumer after " + Arrays.toString(took) + " ms");
        assertTrue(took[took.length / 2] < 300, Arrays.toString(took));
    }

    @Test
    void the_second_loss_in_a_row_goes_by_backoff() {
        String topic = freshTopic();
        server.push(topic, "{\"id\":\"a\",\"retry\":{\"backoff\":[\"700ms\"]}}");
        for (int attempt = 1; attempt <= 2; attempt++) {
            try (GenericClient client = connect()) {
                client.subscribe(topic, 1);
                assertEquals(attempt, client.job().getInteger("attempt"));
            }
        }
        long from = System.currentTimeMillis();
        try (GenericClient client = connect()) {
            client.subscribe(topic, 1);
            JsonObject third = client.job();
            long now = System.currentTimeMillis();
            assertEquals(3, third.getInteger("attempt"));
            assertTrue(third.getLong("due") > from && now >= third.getLong("due"), "came by its backoff");
            assertTrue(now - from >= 400, (now - from) + " ms");
        }
    }

    @Test
    void jobs_not_yet_sent_have_not_used_an_attempt() throws IOException {
        String topic = freshTopic();
        int all = 240;
        String body = "\"" + "x".repeat(60_000) + "\"";
        try (RawSocket stuck = new RawSocket(server)) {
            stuck.text("{\"op\":\"subscribe\",\"topic\":\"" + topic + "\",\"prefetch\":" + all + "}");
            stuck.read();
            for (int i = 0; i < all; i++) {
                server.push(topic, "{\"body\":" + body + "}");
            }
            int reserved = settledCount(topic);
            assertTrue(reserved < all, "a full connection is no demand");
            stuck.reset();
            Map<Integer, Integer> attempts = new HashMap<>();
            try (GenericClient other = connect()) {
                other.subscribe(topic, all);
                other.jobs(all).forEach(job -> attempts.merge(job.getInteger("attempt"), 1, Integer::sum));
            }
            assertEquals(all, attempts.get(1) + attempts.getOrDefault(2, 0), attempts.toString());
            assertTrue(
                    attempts.getOrDefault(2, 0) < reserved,
                    attempts + " of " + reserved + " that had been reserved for the stuck one");
        }
    }

    /** How many are reserved, once that has not changed for a while. */
    private static int settledCount(String topic) {
        int[] last = {-1};
        long[] since = {System.nanoTime()};
        TestRedis.await("as many as the connection takes", Duration.ofSeconds(10), () -> {
            int reserved = counts(topic).getInteger("reserved");
            if (reserved != last[0]) {
                last[0] = reserved;
                since[0] = System.nanoTime();
            }
            return millisSince(since[0]) > 300;
        });
        return last[0];
    }

    private static long millisSince(long nanos) {
        return (System.nanoTime() - nanos) / 1_000_000;
    }
}
