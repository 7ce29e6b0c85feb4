package io.delayq.path;

import static io.delayq.path.Wire.problem;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.http.ProblemType;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The pages that describe the API to people. */
class DocsPathTest {
    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.start();
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void the_page_has_every_call_and_every_message() {
        String page = server.get("/docs").text();
        Set<String> ids = Set.copyOf(found(page, " id=\"([^\"]+)\""));
        OpenApi.served().operations().values().forEach(operation -> {
            assertTrue(ids.contains(operation.id()), operation.id());
            String description = operation.node().get("summary").asText();
            assertTrue(page.contains(">" + description.replace("'", "&#39;") + "<"), description);
        });
        for (String op : List.of("subscribe", "ack", "nack", "extend", "push", "cancel", "ping", "jobs", "draining")) {
            assertTrue(ids.contains("ws-" + op), op);
        }
        assertTrue(page.length() < 300_000, page.length() + " characters");
    }

    @Test
    void every_link_leads_somewhere_on_this_server_and_no_id_is_there_twice() {
        String page = server.get("/docs").text();
        List<String> ids = found(page, " id=\"([^\"]+)\"");
        assertEquals(ids.size(), new HashSet<>(ids).size());
        Set<String> links = new HashSet<>(found(page, " (?:href|src)=\"([^\"]+)\""));
        assertTrue(links.size() > 60, links.toString());
        for (String link : links) {
            if (link.startsWith("#")) {
                assertTrue(ids.contains(link.substring(1)), link);
            } else if (link.startsWith("/problems/")) {
                assertEquals(200, server.get(link).status(), link);
            } else {
                assertTrue(
                        Set.of("/", "/docs", "/openapi.yaml", "/asyncapi.yaml", "data:,")
                                .contains(link),
                        link);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ProblemType.class)
    void each_problem_has_a_page_at_its_type(ProblemType type) {
        String page = server.get(type.uri()).text();
        assertTrue(page.contains("<h1>" + type.title().replace("'", "&#39;") + "</h1>"), page);
        for (String part : List.of("What it means", "What to do", "What it looks like")) {
            assertTrue(page.contains("<h2>" + part + "</h2>"), part);
        }
        String example = found(page, "<code>(\\{.*?})</code>").get(0).replace("&quot;", "\"");
        assertEquals(
                List.of(),
                Schema.faults(
                        OpenApi.served().document(),
                        Schema.target(OpenApi.served().document(), "#/components/schemas/Problem"),
                        OpenApi.json(example.replace("&lt;", "<")
                                .replace("&gt;", ">")
                                .replace("&#39;", "'"))));
    }

    @Test
    void another_name_is_not_found_and_not_repeated() {
        TestServer.Reply reply = server.get("/problems/%3Cscript%3E");
        problem(404, "not-found", reply);
        assertFalse(reply.text().contains("script"), reply.text());
    }

    @Test
    void a_page_may_load_nothing_and_run_nothing_but_its_own_script() throws Exception {
        for (String path : List.of("/docs", "/problems/job-exists")) {
            TestServer.Reply reply = server.get(path);
            String policy = header(reply, "Content-Security-Policy");
            assertEquals(
                    List.of(
                            "default-src 'none'",
                            "style-src '" + hash(found(reply.text(), "<style>(.*?)</style>")) + "'",
                            "script-src '" + hash(found(reply.text(), "<script>(.*?)</script>")) + "'",
                            "img-src data:",
                            "base-uri 'none'",
                            "form-action 'none'",
                            "frame-ancestors 'none'"),
                    List.of(policy.split("; ")));
            assertEquals("nosniff", header(reply, "X-Content-Type-Options"));
            assertEquals("text/html; charset=utf-8", header(reply, "Content-Type"));
            assertEquals(List.of(), found(reply.text(), "( style=| on[a-z]+=|javascript:)"));
        }
    }

    @Test
    void the_files_are_served_as_they_are() {
        for (String path : List.of("/openapi.yaml", "/asyncapi.yaml")) {
            TestServer.Reply reply = server.get(path);
            assertEquals("application/yaml", header(reply, "Content-Type"));
            assertTrue(reply.text().startsWith(path.equals("/openapi.yaml") ? "openapi: 3.1" : "asyncapi: 3."));
        }
    }

    private static String header(TestServer.Reply reply, String name) {
        return reply.response().headers().firstValue(name).orElse("none");
    }

    private static String hash(List<String> only) throws Exception {
        assertEquals(1, only.size());
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(only.get(0).getBytes(StandardCharsets.UTF_8));
        return "sha256-" + Base64.getEncoder().encodeToString(hash);
    }

    private static List<String> found(String text, String pattern) {
        List<String> found = new ArrayList<>();
        for (Matcher match = Pattern.compile(pattern, Pattern.DOTALL).matcher(text); match.find(); ) {
            found.add(match.group(1));
        }
        return found;
    }
}
