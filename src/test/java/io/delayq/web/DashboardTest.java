package io.delayq.web;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.path.TestServer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The dashboard's files: how they are served, and that every text of theirs is in both languages. */
class DashboardTest {
    private static final Path WEB = Path.of("src/main/resources/web");
    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\\n]|\\\\.)*)\"|`((?:[^`\\\\]|\\\\.)*)`");
    private static final Pattern WORDS = Pattern.compile("[A-Za-z]{2,} [A-Za-z]{2,}|^[A-Z][a-z]|\\p{IsHan}");
    /** Not for people: names of headers and keys, commands, what the console is told. */
    private static final Set<String> NO_TEXTS = Set.of(
            "Content-Type", "Retry-After", "Escape", "AbortError", "no text for ${key}", "Authorization: Bearer");

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
    void every_file_is_served_and_nothing_else_is_named() throws IOException {
        assertEquals(files(""), new TreeSet<>(Dashboard.FILES));
        for (String file : Dashboard.FILES) {
            TestServer.Reply reply = server.get(path(file));
            assertEquals(200, reply.status(), file);
            assertEquals(Files.readString(WEB.resolve(file)), reply.text());
            assertEquals(type(file), header(reply, "Content-Type"));
            assertEquals(Dashboard.POLICY, header(reply, "Content-Security-Policy"));
            assertEquals("nosniff", header(reply, "X-Content-Type-Options"));
            assertEquals("no-referrer", header(reply, "Referrer-Policy"));
            assertEquals("no-cache", header(reply, "Cache-Control"));
        }
    }

    @Test
    void a_file_that_the_browser_has_is_not_sent_again() throws Exception {
        TestServer.Reply first = server.get("/assets/main.js");
        HttpRequest again = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/assets/main.js"))
                .header("If-None-Match", header(first, "ETag"))
                .build();
        HttpResponse<String> reply = server.raw(again);
        assertEquals(304, reply.statusCode());
        assertEquals("", reply.body());
        assertFalse(header(first, "ETag").equals(header(server.get("/assets/ui.js"), "ETag")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/assets",
                "/assets/",
                "/assets/..%2findex.html",
                "/assets/%2e%2e/index.html",
                "/assets/pages/..%2f..%2f..%2flogback.xml",
                "/index.html",
                "/web/index.html",
                "/assets/main.js%00.css"
            })
    void no_path_leads_anywhere_else(String path) {
        int status = server.get(path).status();
        assertTrue(status == 404 || status == 400, path + " " + status);
    }

    @Test
    void both_languages_have_the_same_texts_with_the_same_gaps() throws IOException {
        JsonObject english = texts("en");
        JsonObject chinese = texts("zh");
        assertEquals(new TreeSet<>(english.fieldNames()), new TreeSet<>(chinese.fieldNames()));
        for (String key : english.fieldNames()) {
            assertEquals(gaps(english.getString(key)), gaps(chinese.getString(key)), key);
        }
    }

    @Test
    void every_text_asked_for_is_there_and_every_one_there_is_asked_for() throws IOException {
        Set<String> known = texts("en").fieldNames();
        Set<String> unused = new TreeSet<>(known);
        for (String file : scripts()) {
            String code = code(file);
            for (MatchResult literal : literals(code)) {
                String key = content(literal);
                // the beginning of a key that is put together
                Pattern form = Pattern.compile(Stream.of(key.split("\\$\\{[^}]*}", -1))
                        .map(Pattern::quote)
                        .collect(Collectors.joining("[\\w-]+")));
                unused.removeIf(
                        one -> form.matcher(one.replaceAll("\\.one$", "")).matches());
            }
            Matcher asked = Pattern.compile("\\bt\\(\"([^\"]+)\"").matcher(code);
            while (asked.find()) {
                assertTrue(known.contains(asked.group(1)), file + ": " + asked.group(1));
            }
        }
        // problems are named by the server
        unused.removeIf(key -> key.startsWith("problem."));
        assertEquals(Set.of(), unused);
    }

    @Test
    void no_text_is_written_outside_of_the_dictionaries() throws IOException {
        List<String> found = new ArrayList<>();
        for (String file : scripts()) {
            for (String text : hardCoded(code(file))) {
                found.add(file + ": " + text);
            }
        }
        assertEquals(List.of(), found);
        String page = Files.readString(WEB.resolve("index.html"))
                .replaceAll("(?s)<noscript>.*</noscript>", "")
                .replace("<title>delayq</title>", "");
        assertEquals("", page.replaceAll("<[^>]*>", "").strip());
    }

    @Test
    void a_text_outside_of_the_dictionaries_is_found() {
        assertEquals(List.of("Save"), hardCoded("h(\"button\", {}, \"Save\")"));
        assertEquals(List.of("${n} jobs left"), hardCoded("h(\"p.big\", {}, `${n} jobs left`)"));
        assertEquals(List.of("保存"), hardCoded("h(\"p\", {}, \"保存\")"));
    }

    /** What topics, ids and errors hold must never be read as HTML. */
    @Test
    void nothing_is_put_in_as_html() throws IOException {
        Pattern html = Pattern.compile(
                "innerHTML|outerHTML|insertAdjacentHTML|document\\.write|DOMParser|eval\\(|Function\\(");
        for (String file : scripts()) {
            assertFalse(html.matcher(code(file)).find(), file);
        }
        String page = Files.readString(WEB.resolve("index.html"));
        assertFalse(Pattern.compile("<style|style=|\\son\\w+=|<script(?![^>]*src=)")
                .matcher(page)
                .find());
    }

    private static List<String> hardCoded(String code) {
        return literals(code).stream()
                .map(DashboardTest::content)
                .filter(text -> WORDS.matcher(text).find())
                .filter(text -> NO_TEXTS.stream().noneMatch(text::contains))
                .toList();
    }

    private static List<MatchResult> literals(String code) {
        return LITERAL.matcher(code).results().toList();
    }

    private static String content(MatchResult literal) {
        return literal.group(1) == null ? literal.group(2) : literal.group(1);
    }

    private static String code(String file) throws IOException {
        return Files.readString(WEB.resolve(file))
                .replaceAll("(?s)/\\*.*?\\*/", "")
                .replaceAll("(?m)^\\s*//.*$|\\s//.*$", "");
    }

    private static Set<String> scripts() throws IOException {
        Set<String> all = files(".js");
        all.removeIf(file -> file.startsWith("assets/i18n/"));
        assertTrue(all.size() > 20, all.toString());
        return all;
    }

    private static Set<String> files(String ending) throws IOException {
        try (Stream<Path> all = Files.walk(WEB)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> WEB.relativize(file).toString())
                    .filter(file -> file.endsWith(ending))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private static JsonObject texts(String language) throws IOException {
        String module = Files.readString(WEB.resolve("assets/i18n/" + language + ".js"));
        return new JsonObject(module.replaceFirst("^export default ", "").replaceFirst(";\\s*$", ""));
    }

    private static Set<String> gaps(String text) {
        return Pattern.compile("\\{\\w+}")
                .matcher(text)
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toSet());
    }

    private static String path(String file) {
        return file.equals("index.html") ? "/" : "/" + file;
    }

    private static String type(String file) {
        return file.endsWith(".svg")
                ? "image/svg+xml"
                : file.endsWith(".css")
                        ? "text/css; charset=utf-8"
                        : file.endsWith(".js") ? "text/javascript; charset=utf-8" : "text/html; charset=utf-8";
    }

    private static String header(TestServer.Reply reply, String name) {
        return reply.response().headers().firstValue(name).orElseThrow();
    }
}
