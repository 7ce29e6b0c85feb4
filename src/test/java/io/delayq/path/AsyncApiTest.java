package io.delayq.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.Validator;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** What asyncapi.yaml says and what really goes over the wire are the same. */
class AsyncApiTest {
    private static final Set<String> FROM_CLIENT =
            Set.of("subscribe", "unsubscribe", "ack", "nack", "extend", "push", "cancel", "ping");
    private static final Set<String> FROM_SERVER = Set.of(
            "subscribed",
            "unsubscribed",
            "acked",
            "nacked",
            "extended",
            "pushed",
            "cancelled",
            "pong",
            "jobs",
            "error",
            "draining");
    private static final String TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    private final JsonObject document = document();
    private final Map<String, Validator> validators = new TreeMap<>();

    @Test
    void every_message_of_a_real_conversation_fits_its_schema() throws Exception {
        List<String> seen = new ArrayList<>();
        try (TestServer server = TestServer.start();
                GenericClient client = GenericClient.connect(server)) {
            converse(server, client);
            assertEquals(0, server.get("/v1/topics/talk").json().getInteger("reserved"));
            drain(server, client);
            client.sent.forEach(text -> seen.add(fits(text)));
            client.received.forEach(text -> seen.add(fits(text)));
        }
        assertEquals(union(FROM_CLIENT, FROM_SERVER), new TreeSet<>(seen));
    }

    /** Every op, each with and without what is optional. */
    private void converse(TestServer server, GenericClient client) throws Exception {
        client.send("{\"op\":\"ping\"}").expect("pong");
        client.send("{\"op\":\"ping\",\"ref\":null}").expect("pong");
        client.send("{\"op\":\"subscribe\",\"topic\":\"talk\"}").expect("subscribed");
        client.send("{\"op\":\"subscribe\",\"topic\":\"talk\",\"prefetch\":7,\"ref\":1.50}")
                .expect("subscribed");
        client.send("{\"op\":\"push\",\"ref\":\"p\",\"jobs\":[{\"topic\":\"talk\",\"id\":\"a\"},"
                + "{\"topic\":\"talk\",\"id\":\"a\"},"
                + "{\"topic\":\"talk\",\"id\":\"b\",\"delay\":\"10ms\",\"body\":{\"any\":[1,{}]},\"ttr\":\"60s\","
                + "\"retry\":{\"maxAttempts\":3,\"backoff\":[\"5s\",1000]},\"priority\":\"high\",\"ttl\":\"2h\","
                + "\"group\":\"g\"},"
                + "{\"topic\":\"hooked\",\"at\":\"2030-01-31T12:00:00Z\",\"retry\":{\"backoff\":{\"base\":\"1s\","
                + "\"factor\":1.5,\"max\":60000,\"jitter\":0}},\"callback\":{\"url\":\"https://shop.example/close\","
                + "\"method\":\"PUT\",\"headers\":{\"X-App\":\"shop\"}}}]}");
        JsonArray results = collect(client, "pushed", 2).getJsonArray("results");
        assertEquals(List.of(201, 409, 201, 201), statuses(results));
        pushWithTrace(server);
        JsonObject traced = client.job();
        assertEquals(TRACEPARENT, traced.getString("traceparent"));
        assertNull(jobs.get(0).getString("traceparent"));

        client.send("{\"op\":\"extend\",\"topic\":\"talk\",\"jobs\":[{\"id\":\"" + traced.getString("id")
                + "\",\"lease\":\"" + traced.getString("lease")
                + "\",\"ttr\":\"90s\"},{\"id\":\"nobody\",\"lease\":\"x\"}]}");
        JsonObject extended = client.expect("extended");
        assertEquals(1, extended.getJsonArray("jobs").size());
        assertEquals(new JsonArray().add("nobody"), extended.getJsonArray("stale"));
        settle(client, traced);
        client.send("{\"op\":\"cancel\",\"topic\":\"talk\",\"ids\":[\"nobody\"]}")
                .expect("cancelled");
        client.send("{\"op\":\"cancel\",\"ref\":true,\"topic\":\"talk\",\"ids\":[\"nobody\",\"a\"]}")
                .expect("cancelled");
        client.send("{\"op\":\"unsubscribe\",\"topic\":\"talk\",\"ref\":\"u\"}").expect("unsubscribed");
        client.send("{\"op\":\"unsubscribe\",\"topic\":\"never\"}").expect("unsubscribed");
    }

    private final List<JsonObject> jobs = new ArrayList<>();

    /** The answer of that kind, and so many jobs, in whatever order they come. */
    private JsonObject collect(GenericClient client, String op, int count) {
        JsonObject answer = null;
        while (answer == null || jobs.size() < count) {
            JsonObject message = client.next();
            if (message.getString("op").equals("jobs")) {
                message.getJsonArray("jobs").forEach(job -> jobs.add((JsonObject) job));
            } else {
                assertEquals(op, message.getString("op"));
                answer = message;
            }
        }
        return answer;
    }

    private void settle(GenericClient client, JsonObject traced) {
        client.send(GenericClient.settling("ack", "talk", List.of(traced), null));
        client.send(GenericClient.settling("ack", "talk", List.of(traced), null));
        assertEquals(0, client.expect("acked").getInteger("acked"));
        client.send(GenericClient.settling("ack", "talk", List.of(jobs.get(0)), "r"));
        assertEquals(1, client.expect("acked").getInteger("acked"));
        JsonObject job = jobs.get(1);
        client.send("{\"op\":\"nack\",\"topic\":\"talk\",\"ref\":0,\"jobs\":[{\"id\":\"" + job.getString("id")
                + "\",\"lease\":\"" + job.getString("lease") + "\",\"delay\":\"1h\",\"error\":\"why\"}]}");
        assertEquals(1, client.expect("nacked").getInteger("nacked"));
        client.send(GenericClient.settling("nack", "talk", List.of(job), null));
        assertEquals(
                new JsonArray().add(job.getString("id")),
                client.expect("nacked").getJsonArray("stale"));
    }

    private static void pushWithTrace(TestServer server) throws Exception {
        assertEquals(
                201,
                server.raw(HttpRequest.newBuilder(
                                        URI.create("http://127.0.0.1:" + server.port() + "/v1/topics/talk/jobs"))
                                .header("traceparent", TRACEPARENT)
                                .POST(HttpRequest.BodyPublishers.ofString("{\"id\":\"traced\"}"))
                                .build())
                        .statusCode());
    }

    /** A stop, with a job still held: settled meanwhile, so that it ends at once. */
    private static void drain(TestServer server, GenericClient client) {
        client.subscribe("last", 1);
        server.push("last", "{}");
        List<JsonObject> held = client.jobs(1);
        CompletableFuture<Void> stopped = CompletableFuture.runAsync(server::close);
        client.expect("draining");
        client.send("{\"op\":\"subscribe\",\"topic\":\"more\"}");
        assertEquals("/problems/shutting-down", client.problem().getString("type"));
        client.send(GenericClient.settling("ack", "last", held, "bye"));
        assertEquals(1, client.expect("acked").getInteger("acked"));
        assertEquals(1001, client.closeCode());
        TestServer.await(stopped);
    }

    @Test
    void what_the_server_refuses_the_schema_refuses_too_and_the_error_fits() {
        try (TestServer server = TestServer.start();
                GenericClient client = GenericClient.connect(server)) {
            for (String bad : List.of(
                    "{\"op\":\"subscribe\"}",
                    "{\"op\":\"subscribe\",\"topic\":\"-\"}",
                    "{\"op\":\"subscribe\",\"topic\":\"t\",\"prefetch\":0}",
                    "{\"op\":\"subscribe\",\"topic\":\"t\",\"prefetch\":10001}",
                    "{\"op\":\"subscribe\",\"topic\":\"t\",\"jobs\":[]}",
                    "{\"op\":\"unsubscribe\",\"topic\":7}",
                    "{\"op\":\"ack\",\"topic\":\"t\",\"jobs\":[]}",
                    "{\"op\":\"ack\",\"topic\":\"t\",\"jobs\":[{\"id\":\"a\"}]}",
                    "{\"op\":\"ack\",\"topic\":\"t\",\"jobs\":[{\"id\":\"a\",\"lease\":\"l\",\"delay\":1}]}",
                    "{\"op\":\"nack\",\"topic\":\"t\",\"jobs\":[{\"id\":\"a\",\"lease\":\"l\",\"delay\":\"soon\"}]}",
                    "{\"op\":\"extend\",\"topic\":\"t\",\"jobs\":[{\"id\":\"a\",\"lease\":\"l\",\"ttr\":99}]}",
                    "{\"op\":\"push\",\"jobs\":[]}",
                    "{\"op\":\"push\",\"topic\":\"t\",\"jobs\":[{\"topic\":\"t\"}]}",
                    "{\"op\":\"cancel\",\"topic\":\"t\",\"ids\":[\"..\"]}",
                    "{\"op\":\"cancel\",\"topic\":\"t\",\"ids\":[\"a\\u0001\"]}",
                    "{\"op\":\"ping\",\"ref\":{}}",
                    "{\"op\":\"ping\",\"extra\":1}")) {
                JsonObject message = new JsonObject(bad);
                assertFalse(check(message.getString("op"), message), bad);
                JsonObject error = client.send(bad).expect("error");
                assertEquals(400, error.getJsonObject("problem").getInteger("status"));
                assertEquals("error", fits(error.encode()));
            }
            for (String garbage : List.of("garbage", "{}", "{\"op\":\"dance\",\"ref\":5}", "[]", "{\"op\":\"ping\"")) {
                client.send("{\"op\":\"ping\"}").expect("pong");
                assertEquals("error", fits(client.send(garbage).expect("error").encode()));
            }
        }
    }

    @Test
    void a_pushed_job_is_refused_by_the_schema_if_it_is_by_the_server() {
        try (TestServer server = TestServer.start();
                GenericClient client = GenericClient.connect(server)) {
            List<String> rows = List.of(
                    "{\"topic\":\"rows\"}",
                    "{}",
                    "7",
                    "{\"topic\":\"rows\",\"delay\":1,\"at\":1}",
                    "{\"topic\":\"rows\",\"delay\":\"PT15M\"}",
                    "{\"topic\":\"rows\",\"delay\":\"1m1h\"}",
                    "{\"topic\":\"rows\",\"delay\":-1}",
                    "{\"topic\":\"rows\",\"ttr\":86400001}",
                    "{\"topic\":\"rows\",\"ttl\":999}",
                    "{\"topic\":\"rows\",\"priority\":\"urgent\"}",
                    "{\"topic\":\"rows\",\"retry\":{\"maxAttempts\":1001}}",
                    "{\"topic\":\"rows\",\"retry\":{\"backoff\":[]}}",
                    "{\"topic\":\"rows\",\"retry\":{\"backoff\":{\"factor\":11}}}",
                    "{\"topic\":\"rows\",\"retry\":{\"tries\":1}}",
                    "{\"topic\":\"rows\",\"callback\":{}}",
                    "{\"topic\":\"rows\",\"callback\":{\"url\":\"ftp://x\"}}",
                    "{\"topic\":\"rows\",\"callback\":{\"url\":\"http://x\",\"headers\":{\"a b\":\"c\"}}}",
                    "{\"topic\":\"rows\",\"extra\":1}");
            client.send("{\"op\":\"push\",\"jobs\":[" + String.join(",", rows) + "]}");
            JsonObject pushed = client.expect("pushed");
            assertEquals("pushed", fits(pushed.encode()));
            for (int i = 0; i < rows.size(); i++) {
                String message = "{\"op\":\"push\",\"jobs\":[" + rows.get(i) + "]}";
                boolean taken = pushed.getJsonArray("results").getJsonObject(i).getInteger("status") == 201;
                assertEquals(taken, check("push", new JsonObject(message)), rows.get(i));
            }
        }
    }

    @Test
    void a_field_too_many_or_too_few_does_not_fit() {
        try (TestServer server = TestServer.start();
                GenericClient client = GenericClient.connect(server)) {
            client.subscribe("strict", 1);
            server.push("strict", "{}");
            JsonObject message = client.expect("jobs");
            assertTrue(check("jobs", message));
            assertFalse(check("jobs", message.copy().put("planted", 1)));
            JsonObject planted = message.copy();
            planted.getJsonArray("jobs").getJsonObject(0).put("planted", 1);
            assertFalse(check("jobs", planted));
            for (String field : List.of("id", "lease", "attempt", "maxAttempts", "due", "deadline", "body")) {
                JsonObject lacking = message.copy();
                assertNotNull(lacking.getJsonArray("jobs").getJsonObject(0), field);
                lacking.getJsonArray("jobs").getJsonObject(0).remove(field);
                assertFalse(check("jobs", lacking), "without " + field);
            }
            JsonObject open = message.copy();
            open.getJsonArray("jobs").getJsonObject(0).put("body", new JsonObject().put("planted", 1));
            assertTrue(check("jobs", open), "a body may be anything");
        }
    }

    @Test
    void a_planted_or_missing_field_fails_in_every_message() {
        for (String op : union(FROM_CLIENT, FROM_SERVER)) {
            JsonObject payload = payload(op);
            assertTrue(payload.getJsonArray("required").contains("op"), op);
            assertFalse(check(op, new JsonObject()), op);
            assertFalse(check(op, new JsonObject().put("op", op).put("planted", 1)), op);
        }
    }

    @Test
    void every_message_has_an_example_that_fits() {
        for (String op : union(FROM_CLIENT, FROM_SERVER)) {
            JsonArray examples = components("messages").getJsonObject(op).getJsonArray("examples");
            examples.forEach(example -> assertEquals(
                    op, fits(((JsonObject) example).getJsonObject("payload").encode())));
            assertFalse(examples.isEmpty(), op);
        }
    }

    @Test
    void a_message_that_comes_with_a_planted_field_fails_the_test_that_got_it() {
        assertEquals(List.of(), AsyncApi.faults("{\"op\":\"pong\"}"));
        for (String bad : List.of("{\"op\":\"pong\",\"planted\":1}", "{\"op\":\"sing\"}", "{}")) {
            assertFalse(AsyncApi.faults(bad).isEmpty(), bad);
        }
    }

    @Test
    void every_object_is_closed_and_only_a_body_is_open() {
        List<String> open = new ArrayList<>();
        int[] objects = {0};
        for (String name : components("schemas").fieldNames()) {
            walk("schemas/" + name, components("schemas").getJsonObject(name), open, objects);
        }
        for (String name : components("messages").fieldNames()) {
            walk(
                    "messages/" + name,
                    components("messages").getJsonObject(name).getJsonObject("payload"),
                    open,
                    objects);
        }
        assertEquals(List.of("schemas/Body"), open);
        assertTrue(objects[0] > 25, objects[0] + " objects seen");
    }

    /** Notes every schema that lets anything through. */
    private static void walk(String at, JsonObject schema, List<String> open, int[] objects) {
        boolean object = "object".equals(schema.getValue("type")) || schema.containsKey("properties");
        if (object) {
            objects[0]++;
            assertEquals("object", schema.getValue("type"), at);
            assertEquals(false, schema.getValue("additionalProperties"), at + " is open");
        }
        if (Stream.of("type", "enum", "const", "oneOf", "$ref").noneMatch(schema::containsKey)) {
            open.add(at);
        }
        for (String keyword : List.of("properties", "patternProperties")) {
            JsonObject children = schema.getJsonObject(keyword, new JsonObject());
            children.fieldNames().forEach(name -> walk(at + "/" + name, children.getJsonObject(name), open, objects));
        }
        if (schema.containsKey("items")) {
            walk(at + "[]", schema.getJsonObject("items"), open, objects);
        }
        JsonArray oneOf = schema.getJsonArray("oneOf", new JsonArray());
        for (int i = 0; i < oneOf.size(); i++) {
            walk(at + "|" + i, oneOf.getJsonObject(i), open, objects);
        }
    }

    @Test
    void every_op_of_either_side_is_described_and_no_other() {
        Set<String> all = union(FROM_CLIENT, FROM_SERVER);
        assertEquals(all, components("messages").fieldNames().stream().collect(Collectors.toCollection(TreeSet::new)));
        JsonObject channel = document.getJsonObject("channels").getJsonObject("connection");
        assertEquals(all, new TreeSet<>(channel.getJsonObject("messages").fieldNames()));
        for (String op : all) {
            assertEquals(op, components("messages").getJsonObject(op).getString("name"));
            assertEquals(
                    op,
                    payload(op).getJsonObject("properties").getJsonObject("op").getString("const"));
        }
        assertEquals(new TreeSet<>(FROM_CLIENT), operations("receive"));
        assertEquals(new TreeSet<>(Set.of("jobs", "error", "draining")), operations("send"));
        try (TestServer server = TestServer.start();
                GenericClient client = GenericClient.connect(server)) {
            String known = client.send("{\"op\":\"\"}").problem().getString("detail");
            assertEquals("expected one of " + String.join(", ", new TreeSet<>(FROM_CLIENT)), known);
        }
    }

    private Set<String> operations(String action) {
        JsonObject operations = document.getJsonObject("operations");
        return operations.fieldNames().stream()
                .map(operations::getJsonObject)
                .filter(operation -> operation.getString("action").equals(action))
                .flatMap(operation -> operation.getJsonArray("messages").stream())
                .map(message -> ((JsonObject) message).getString("$ref").replaceFirst(".*/", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void the_description_is_served() throws IOException {
        try (TestServer server = TestServer.start()) {
            TestServer.Reply reply = server.get("/asyncapi.yaml");
            assertEquals(200, reply.status());
            assertEquals(
                    "application/yaml",
                    reply.response().headers().firstValue("Content-Type").orElse(null));
            assertEquals(text(), reply.text());
        }
    }

    /** Fails unless the message is one of those described; returns its op. */
    private String fits(String text) {
        JsonObject message = new JsonObject(text);
        String op = message.getString("op");
        assertTrue(components("messages").containsKey(op), "not described: " + text);
        OutputUnit result = validator(op).validate(message);
        assertTrue(result.getValid(), () -> text + "\n" + result.toJson().encodePrettily());
        return op;
    }

    private boolean check(String op, JsonObject message) {
        return validator(op).validate(message).getValid();
    }

    private Validator validator(String op) {
        return validators.computeIfAbsent(
                op,
                name -> Validator.create(
                        JsonSchema.of(payload(name)),
                        new JsonSchemaOptions()
                                .setBaseUri("https://delayq.example/" + name)
                                .setDraft(Draft.DRAFT7)
                                .setOutputFormat(OutputFormat.Basic)));
    }

    private JsonObject payload(String op) {
        return (JsonObject) resolved(components("messages").getJsonObject(op).getJsonObject("payload"));
    }

    private JsonObject components(String kind) {
        return document.getJsonObject("components").getJsonObject(kind);
    }

    /** A copy with what is referred to in place of each reference. */
    private Object resolved(Object node) {
        if (node instanceof JsonArray list) {
            JsonArray copy = new JsonArray();
            list.forEach(item -> copy.add(resolved(item)));
            return copy;
        }
        if (!(node instanceof JsonObject object)) {
            return node;
        }
        if (object.containsKey("$ref")) {
            Object at = document;
            for (String segment : object.getString("$ref").substring(2).split("/")) {
                at = ((JsonObject) at).getValue(segment);
                assertNotNull(at, object.getString("$ref"));
            }
            return resolved(at);
        }
        JsonObject copy = new JsonObject();
        object.fieldNames().forEach(name -> copy.put(name, resolved(object.getValue(name))));
        return copy;
    }

    private static List<Integer> statuses(JsonArray results) {
        return results.stream()
                .map(row -> ((JsonObject) row).getInteger("status"))
                .toList();
    }

    private static Set<String> union(Set<String> some, Set<String> others) {
        Set<String> all = new TreeSet<>(some);
        all.addAll(others);
        return all;
    }

    private static JsonObject document() {
        Map<String, Object> yaml = new Yaml(new SafeConstructor(new LoaderOptions())).load(text());
        return new JsonObject(new JsonObject(yaml).encode());
    }

    private static String text() {
        try (InputStream in = AsyncApiTest.class.getResourceAsStream("/asyncapi.yaml")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
