package io.delayq.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.delayq.http.Api;
import io.delayq.http.ProblemType;
import io.delayq.ingress.IngressVerticle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What openapi.yaml says and what the server does are the same. */
class OpenApiTest {
    /** The dashboard's, which is another room's. */
    private static final Set<String> BESIDE = Set.of("GET /");
    /** Only in a process whose log is not Logback's. */
    private static final Set<String> NOT_HERE = Set.of("getLogLevel 404", "setLogLevel 404");

    private static final Map<String, Set<String>> RIGHTS = Map.of(
            "NONE", Set.of(),
            "PUSH", Set.of("push"),
            "CONSUME", Set.of("consume"),
            "PUSH_OR_CONSUME", Set.of("push", "consume"),
            "CONNECT", Set.of("push", "consume"),
            "PUSH_OR_CONSUME_OR_ADMIN", Set.of("push", "consume", "admin"),
            "ADMIN", Set.of("admin"));

    private final OpenApi description = OpenApi.alone();
    private final JsonNode document = description.document();

    private static String path(Api.Route route) {
        return route.method() + " " + route.path().replaceAll(":(\\w+)", "{$1}");
    }

    private static Set<String> declared() {
        return IngressVerticle.declared().stream()
                .map(OpenApiTest::path)
                // parts of a page
                .filter(path -> !path.startsWith("GET /assets/"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void every_operation_answers_with_each_status_that_is_described() {
        Set<String> served = declared();
        // added by a room of its own
        try (RawHttp http = new RawHttp(shared().port())) {
            if (http.send(RawHttp.request("GET", "/", null)).read().status() == 200) {
                served.add("GET /");
            }
        }
        StatusTour tour = new StatusTour(description, served);
        tour.run();
        Set<String> expected = new TreeSet<>();
        description.operations().values().stream()
                .filter(tour::isServed)
                .forEach(operation -> operation.responses().fieldNames().forEachRemaining(status -> {
                    if (tour.hasLimits() || !status.equals("429")) {
                        expected.add(operation.id() + " " + status);
                    }
                }));
        expected.removeAll(NOT_HERE);
        expected.removeAll(description.seen());
        assertEquals(Set.of(), expected, "never seen");
    }

    @Test
    void every_route_is_described_and_no_other() {
        Set<String> described = new TreeSet<>(description.operations().keySet());
        Set<String> missing = new TreeSet<>(declared());
        missing.removeAll(described);
        assertEquals(Set.of(), missing, "not described");
        described.removeAll(declared());
        described.removeAll(BESIDE);
        assertEquals(Set.of(), described, "not served");
    }

    @Test
    void the_right_of_every_route_is_described() {
        IngressVerticle.declared().stream()
                .filter(route -> !route.path().startsWith("/assets/"))
                .forEach(route -> {
                    JsonNode rules =
                            description.operations().get(path(route)).node().get("security");
                    Set<String> rights = new TreeSet<>();
                    Set<String> roles = new TreeSet<>();
                    rules.forEach(rule -> {
                        rule.path("token").forEach(right -> rights.add(right.asText()));
                        rule.path("session").forEach(role -> roles.add(role.asText()));
                    });
                    assertEquals(RIGHTS.get(route.right().name()), rights, path(route));
                    boolean looks = route.method().name().equals("GET") && route.door() == null;
                    assertEquals(rights.isEmpty() ? Set.of() : Set.of(looks ? "viewer" : "admin"), roles, path(route));
                });
    }

    @Test
    void every_object_is_closed_and_only_a_body_is_open() {
        List<String> open = new ArrayList<>();
        document.at("/components/schemas").fields().forEachRemaining(schema -> {
            // these are closed where they are used, which is what the next test sees to
            if (!Set.of("JobCore", "ProblemCore", "Counts").contains(schema.getKey())) {
                walk(schema.getKey(), schema.getValue(), open);
            }
        });
        document.findValues("schema").forEach(schema -> walk("inline", schema, open));
        document.findValues("contentSchema").forEach(schema -> walk("inline", schema, open));
        assertEquals(List.of("Body"), open);
    }

    /** Notes every schema that lets anything through. */
    private void walk(String at, JsonNode schema, List<String> open) {
        boolean narrows = schema.path("allOf").toString().contains("schemas/Problem\"");
        boolean object = schema.path("type").asText().equals("object") || schema.has("properties");
        if (object || schema.has("allOf")) {
            boolean closed = schema.path("additionalProperties").toString().equals("false")
                    || schema.path("unevaluatedProperties").isBoolean()
                            && !schema.get("unevaluatedProperties").asBoolean();
            assertTrue(closed || narrows, at + " is open");
        }
        if (List.of("type", "enum", "const", "oneOf", "allOf", "$ref").stream().noneMatch(schema::has)) {
            open.add(at);
        }
        schema.path("properties").fields().forEachRemaining(member -> {
            walk(at + "/" + member.getKey(), member.getValue(), open);
        });
        schema.path("patternProperties").forEach(rule -> walk(at + "/*", rule, open));
        schema.path("oneOf").forEach(branch -> walk(at + "|", branch, open));
        if (schema.has("items")) {
            walk(at + "[]", schema.get("items"), open);
        }
    }

    @Test
    void what_is_closed_where_it_is_used_is_used_nowhere_else() {
        for (String core : List.of("JobCore", "ProblemCore", "Counts")) {
            String reference = "{\"$ref\":\"#/components/schemas/" + core + "\"}";
            int all = document.toString().split(java.util.regex.Pattern.quote(reference), -1).length - 1;
            int closed = 0;
            for (JsonNode schema : document.at("/components/schemas")) {
                boolean uses = schema.path("allOf").toString().equals("[" + reference + "]");
                closed +=
                        uses && schema.path("unevaluatedProperties").toString().equals("false") ? 1 : 0;
            }
            assertTrue(all > 0);
            assertEquals(all, closed, core);
        }
    }

    @Test
    void every_type_of_problem_is_described_with_its_own_status() {
        Set<String> known = Arrays.stream(ProblemType.values())
                .map(ProblemType::uri)
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> listed = new TreeSet<>();
        document.at("/components/schemas/ProblemCore/properties/type/enum").forEach(type -> listed.add(type.asText()));
        assertEquals(known, listed);
        Set<String> used = new TreeSet<>();
        for (OpenApi.Operation operation : description.operations().values()) {
            operation.responses().fields().forEachRemaining(entry -> {
                JsonNode content = description.resolved(entry.getValue()).path("content");
                JsonNode schema = description.resolved(
                        content.path("application/problem+json").path("schema"));
                for (JsonNode type : types(schema)) {
                    ProblemType found = Arrays.stream(ProblemType.values())
                            .filter(one -> one.uri().equals(type.asText()))
                            .findFirst()
                            .orElseThrow();
                    assertEquals(Integer.toString(found.status()), entry.getKey(), operation.id());
                    used.add(found.uri());
                }
            });
        }
        // what no operation answers, since there is none
        known.remove(ProblemType.METHOD_NOT_ALLOWED.uri());
        assertEquals(known, used);
    }

    private static List<JsonNode> types(JsonNode schema) {
        List<JsonNode> types = new ArrayList<>();
        JsonNode rule = schema.path("properties").path("type");
        rule.path("enum").forEach(types::add);
        if (rule.has("const")) {
            types.add(rule.get("const"));
        }
        return types;
    }

    @Test
    void every_example_fits_and_says_what_it_is_of() {
        int[] count = {0};
        document.findParents("schema").forEach(holder -> {
            List<JsonNode> examples = new ArrayList<>();
            holder.path("examples").forEach(one -> examples.add(one.get("value")));
            if (holder.has("example")) {
                examples.add(holder.get("example"));
            }
            for (JsonNode example : examples) {
                assertEquals(List.of(), Schema.faults(document, holder.get("schema"), example), example.toString());
                count[0]++;
            }
        });
        for (JsonNode response : document.at("/components/responses")) {
            JsonNode example =
                    response.path("content").path("application/problem+json").path("example");
            for (ProblemType type : ProblemType.values()) {
                if (type.uri().equals(example.path("type").asText())) {
                    assertEquals(type.status(), example.get("status").asInt());
                    assertEquals(type.title(), example.get("title").asText());
                }
            }
        }
        assertTrue(count[0] > 60, count[0] + " examples");
    }

    // ---- the check itself

    private static OpenApi.Exchange exchange(String method, String target, String body, int status, String text) {
        String type = status < 400 ? "application/json" : "application/problem+json";
        return new OpenApi.Exchange(method, target, null, body, status, Map.of("content-type", type), text);
    }

    @Test
    void a_planted_field_in_any_answer_fails() {
        int[] planted = {0};
        for (OpenApi.Operation operation : description.operations().values()) {
            operation.responses().fields().forEachRemaining(entry -> {
                JsonNode content = description.resolved(entry.getValue()).path("content");
                content.fields().forEachRemaining(one -> {
                    JsonNode example = one.getValue().path("example");
                    if (example.isObject()) {
                        JsonNode schema = one.getValue().get("schema");
                        plant(example, schema, example.deepCopy(), "", planted);
                    }
                });
            });
        }
        assertTrue(planted[0] > 300, planted[0] + " planted");
    }

    /** Puts a member into each object within, one at a time, but not into a body, which may be anything. */
    private void plant(JsonNode at, JsonNode schema, JsonNode whole, String pointer, int[] planted) {
        if (at.isObject()) {
            ObjectNode copy = whole.deepCopy();
            ((ObjectNode) (pointer.isEmpty() ? copy : copy.at(pointer))).put("planted", 1);
            assertFalse(Schema.faults(document, schema, copy).isEmpty(), copy.toString());
            planted[0]++;
            at.fields().forEachRemaining(member -> {
                if (!member.getKey().equals("body")) {
                    plant(member.getValue(), schema, whole, pointer + "/" + member.getKey(), planted);
                }
            });
        }
        for (int i = 0; at.isArray() && i < at.size(); i++) {
            plant(at.get(i), schema, whole, pointer + "/" + i, planted);
        }
    }

    @Test
    void an_answer_with_a_planted_field_or_an_undescribed_status_or_type_fails_the_test_that_got_it() {
        String push = "/v1/topics/order/jobs/a/ack";
        String stale = "{\"type\":\"/problems/stale-lease\",\"title\":\"t\",\"status\":409,\"detail\":\"d\"}";
        description.check(exchange("POST", push, null, 409, stale));
        for (OpenApi.Exchange bad : List.of(
                exchange("POST", push, null, 409, stale.replace("}", ",\"planted\":1}")),
                exchange("POST", push, null, 409, stale.replace("stale-lease", "job-exists")),
                exchange("POST", push, null, 409, stale.replace("\"detail\":\"d\"", "\"errors\":[]")),
                exchange("POST", push, null, 404, stale.replace("stale-lease", "job-not-found")),
                exchange("POST", push, null, 418, stale),
                exchange("POST", push, null, 200, "{}"),
                exchange("POST", push, null, 204, "{}"),
                exchange("GET", "/v1/servers", null, 200, "{\"servers\":[],\"planted\":1}"),
                exchange("GET", "/v1/servers", null, 200, "not JSON"),
                exchange("GET", "/v1/servers", null, 503, stale.replace("stale-lease", "store-unavailable")))) {
            assertThrows(AssertionError.class, () -> description.check(bad), bad.toString());
        }
    }

    @Test
    void a_request_that_is_taken_but_not_described_fails() {
        description.check(exchange("GET", "/v1/servers?", "", 200, "{\"servers\":[]}"));
        String requeued = "{\"requeued\":0}";
        description.check(exchange("POST", "/v1/topics/t/dead/requeue", "{}", 200, requeued));
        for (OpenApi.Exchange bad : List.of(
                exchange("GET", "/v1/servers?planted=1", "", 200, "{\"servers\":[]}"),
                exchange("GET", "/v1/topics?limit=501", "", 200, "{\"topics\":[]}"),
                exchange("POST", "/v1/topics/-/dead/requeue", "{}", 200, requeued),
                exchange("POST", "/v1/topics/t/dead/requeue", "{\"planted\":1}", 200, requeued),
                exchange("POST", "/v1/topics/t/dead/requeue", "{\"ids\":[]}", 200, requeued),
                exchange("POST", "/v1/topics/t/acks", "", 200, "{\"acked\":0,\"stale\":[]}"))) {
            assertThrows(AssertionError.class, () -> description.check(bad), bad.toString());
        }
    }

    @Test
    void what_the_clients_of_the_tests_get_is_checked() {
        try (TestServer server = TestServer.start()) {
            OpenApi.served().seen().clear();
            server.get("/health/live");
            RawHttp.once(server.port(), RawHttp.request("GET", "/health/ready", null));
            assertTrue(OpenApi.served().seen().containsAll(Set.of("isLive 200", "isReady 200")));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "7",
                "[]",
                "{\"delay\":1,\"at\":1}",
                "{\"delay\":\"PT15M\"}",
                "{\"delay\":\"1m1h\"}",
                "{\"delay\":-1}",
                "{\"delay\":1.5}",
                "{\"delay\":315360000001}",
                "{\"id\":\"\"}",
                "{\"id\":\"..\"}",
                "{\"id\":7}",
                "{\"ttr\":99}",
                "{\"ttl\":999}",
                "{\"priority\":\"urgent\"}",
                "{\"retry\":{\"maxAttempts\":1001}}",
                "{\"retry\":{\"backoff\":[]}}",
                "{\"retry\":{\"backoff\":{\"factor\":11}}}",
                "{\"retry\":{\"backoff\":{\"base\":\"25h\",\"planted\":1}}}",
                "{\"callback\":{}}",
                "{\"callback\":{\"url\":\"ftp://x\"}}",
                "{\"callback\":{\"url\":\"http://x.example\",\"headers\":{\"a b\":\"c\"}}}",
                "{\"topic\":\"t\"}",
                "{\"extra\":1}"
            })
    void a_job_is_refused_by_the_schema_if_it_is_by_the_server(String json) {
        List<String> faults = Schema.faults(document, document.at("/components/schemas/NewJob"), OpenApi.json(json));
        assertEquals(shared().post("/v1/topics/t/jobs", json).status() == 201, faults.isEmpty(), faults.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PUT  | /v1/topics/t              | {'keepDone':'366d1ms','planted':1}",
                "PUT  | /v1/topics/t              | {'maxInFlight':0}",
                "PUT  | /v1/topics/t              | {'webhook':{'secrets':['short']}}",
                "PUT  | /v1/topics/t              | {'redisList':{'key':''}}",
                "PUT  | /v1/topics/t              | {'callback':{'url':'http://x.example'},'redisList':{'key':'k'}}",
                "POST | /v1/topics/t/reserve      | {'max':0}",
                "POST | /v1/topics/t/reserve      | {'max':1001}",
                "POST | /v1/topics/t/reserve      | {'wait':60001}",
                "POST | /v1/topics/t/acks         | {'jobs':[]}",
                "POST | /v1/topics/t/acks         | {'jobs':[{'id':'a'}]}",
                "POST | /v1/topics/t/jobs/a/ack   | {}",
                "POST | /v1/topics/t/jobs/a/nack  | {'lease':'x','delay':'soon'}",
                "POST | /v1/topics/t/jobs/a/extend| {'lease':'x','ttr':99}",
                "PATCH| /v1/topics/t/jobs/a       | {}",
                "PATCH| /v1/topics/t/jobs/a       | {'delay':1,'at':1}",
                "POST | /v1/topics/t/dead/requeue | {'ids':[]}",
                "POST | /v1/topics/t/pause        | {'for':'1h'}"
            })
    void a_request_that_the_server_refuses_the_schema_refuses_too(String method, String path, String json) {
        String body = json.strip().replace('\'', '"');
        OpenApi.Operation operation = description.operations().values().stream()
                .filter(one -> one.method().equals(method.strip())
                        && path.strip().matches(one.path().replaceAll("\\{\\w+}", "[^/]+")))
                .findFirst()
                .orElseThrow();
        JsonNode schema =
                description.resolved(operation.node().get("requestBody")).at("/content/application~1json/schema");
        assertFalse(Schema.faults(document, schema, OpenApi.json(body)).isEmpty(), body);
        assertEquals(400, shared().send(method.strip(), path.strip(), body).status());
    }

    private static TestServer server;

    private static TestServer shared() {
        if (server == null) {
            server = TestServer.start();
        }
        return server;
    }

    @org.junit.jupiter.api.AfterAll
    static void stop() {
        if (server != null) {
            server.close();
        }
    }
}
