package io.delayq.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayq.docs.Chromium;
import io.delayq.docs.Skips;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard in a real browser, used as people use it. */
@Tag("browser")
@ExtendWith(Skips.class)
class DashboardBrowserTest {
    private static final Duration NOTICED = Duration.ofSeconds(3);
    private static final String HTML = "<img src=x onerror=alert(1)>";
    private static final String PASSWORD = "p4ssw0rd-of-";
    private static final List<String> PAGES = List.of(
            "#/",
            "#/topics",
            "#/topics/walk?state=delayed",
            "#/topics/walk?state=dead",
            "#/topics/walk?state=done",
            "#/topics/walk?state=settings",
            "#/topics/walk/jobs/waits",
            "#/topics/walk/jobs/dead",
            "#/topics/walk/jobs/never",
            "#/topics/never",
            "#/dead",
            "#/connections",
            "#/servers");

    @TempDir
    private static Path profile;

    private static Chromium chromium;

    @BeforeAll
    static void open() throws Exception {
        chromium = new Chromium(profile);
    }

    @AfterAll
    static void close() {
        if (chromium != null) {
            chromium.close();
        }
    }

    @Test
    void every_page_shows_at_both_widths_and_the_console_stays_clean() throws Exception {
        try (TestServer server = TestServer.start()) {
            fill(server);
            Screen screen = Screen.open(chromium, server.port());
            for (String page : PAGES) {
                for (int width : new int[] {1280, 390}) {
                    screen.size(width, 844);
                    screen.go(page);
                    assertEquals("", problems(screen), page);
                    assertTrue(
                            screen.is("document.documentElement.scrollWidth <= innerWidth"),
                            page + " is wider than " + width);
                }
            }
            screen.go("#/");
            screen.click("[data-keep=lang]");
            screen.until("the other language", "document.documentElement.lang === 'zh-CN'");
            PAGES.forEach(screen::go);
            screen.click("[data-keep=lang]");
            // what is not there is answered with 404, which browsers tell as an error of their own
            screen.tab().complaints().removeIf(complaint -> complaint.contains("/never"));
            assertEquals(List.of(), screen.tab().complaints());
        }
    }

    @Test
    void axe_finds_no_violation_on_any_page_in_either_theme() throws Exception {
        String axe = Axe.script();
        assumeTrue(axe != null, "axe-core could not be fetched by npm; see target/axe/npm.log");
        try (TestServer server = TestServer.start()) {
            fill(server);
            Screen screen = Screen.open(chromium, server.port());
            screen.tab().type(axe + "; ''");
            List<String> found = new ArrayList<>();
            for (String theme : List.of("light", "dark")) {
                screen.theme(theme);
                for (String page : PAGES) {
                    screen.go(page);
                    found.addAll(violations(screen, theme + " " + page));
                }
                screen.go("#/topics");
                screen.click("main .primary");
                found.addAll(violations(screen, theme + " dialog"));
                screen.tab().type("document.querySelector('dialog').close()");
            }
            assertEquals(List.of(), found);
        }
    }

    @Test
    void on_an_empty_server_a_demo_job_is_pushed_and_seen_to_arrive() throws Exception {
        try (TestServer server = TestServer.start()) {
            Screen screen = Screen.open(chromium, server.port());
            screen.click(".demo-push");
            screen.until("the job pushed", "document.querySelector('.demo-steps a')");
            long pushed = System.nanoTime();
            assertEquals(
                    1,
                    server.get("/v1/topics/demo").json().getInteger("delayed"),
                    "it waits in the queue like any other");
            screen.until("the job done", "document.querySelectorAll('.demo-steps li').length === 4");
            assertTrue(System.nanoTime() - pushed > Duration.ofSeconds(4).toNanos(), "never early");
            assertTrue(screen.text(".demo-steps").contains("Arrived"), screen.text(".demo-steps"));
            JsonObject topic = server.get("/v1/topics/demo").json();
            assertEquals(0, topic.getInteger("delayed") + topic.getInteger("ready") + topic.getInteger("reserved"));
            assertEquals(List.of(), screen.tab().complaints());
        }
    }

    @Test
    void a_dead_job_is_requeued_and_a_topic_paused_and_resumed() throws Exception {
        try (TestServer server = TestServer.start()) {
            die(server, "act", "dead");
            Screen screen = Screen.open(chromium, server.port());
            screen.go("#/dead");
            screen.click("[aria-label=\"Requeue dead\"]");
            untilState(server, "act", "dead", "ready");
            screen.until("nothing dead", "document.querySelector('main .empty')");
            screen.go("#/topics");
            screen.click("[aria-label=\"Pause act\"]");
            TestRedis.await("paused", () -> server.get("/v1/topics/act").json().getBoolean("paused"));
            screen.until("told", "document.querySelector('.badge.is-paused')");
            screen.click("[aria-label=\"Resume act\"]");
            TestRedis.await(
                    "resumed", () -> !server.get("/v1/topics/act").json().getBoolean("paused"));
        }
    }

    @Test
    void a_job_is_moved_run_and_cancelled() throws Exception {
        try (TestServer server = TestServer.start()) {
            server.push("act", "{\"id\":\"one\",\"delay\":\"1h\",\"body\":{\"n\":12345678901234567890}}");
            long due = server.get("/v1/topics/act/jobs/one").json().getLong("due");
            Screen screen = Screen.open(chromium, server.port());
            screen.go("#/topics/act/jobs/one");
            assertTrue(screen.text("pre.code").contains("\"n\": 12345678901234567890"), screen.text("pre.code"));
            screen.tab().type("navigator.clipboard.writeText = async text => { window.copied = text; }; ''");
            press(screen, "Copy as curl");
            screen.until("copied", "window.copied");
            assertTrue(
                    screen.tab().type("window.copied").contains("\"body\":{\"n\":12345678901234567890}}' http://127"),
                    screen.tab().type("window.copied"));
            press(screen, "Reschedule");
            screen.fill("dialog input", "2h");
            screen.click("dialog [type=submit]");
            TestRedis.await(
                    "moved", () -> server.get("/v1/topics/act/jobs/one").json().getLong("due") > due + 3_000_000);
            press(screen, "Run now");
            untilState(server, "act", "one", "ready");
            press(screen, "Cancel job");
            screen.click("dialog [type=submit]");
            TestRedis.await("gone", () -> server.get("/v1/topics/act/jobs/one").status() == 404);
            screen.until("told", "document.querySelector('main .empty')");
        }
    }

    @Test
    void a_purge_tells_its_count_and_waits_to_be_confirmed() throws Exception {
        try (TestServer server = TestServer.start()) {
            for (int i = 0; i < 3; i++) {
                server.push("bulk", "{\"delay\":\"1h\",\"group\":\"g\"}");
            }
            server.push("bulk", "{\"delay\":\"1h\"}");
            Screen screen = Screen.open(chromium, server.port());
            screen.go("#/topics/bulk?state=delayed");
            press(screen, "Delete a group…");
            screen.fill("dialog input", "g");
            screen.click("dialog [type=submit]");
            screen.until("its count", "document.querySelector('dialog .big-number')?.textContent === '3 jobs'");
            assertEquals(4, server.get("/v1/topics/bulk").json().getInteger("delayed"));
            screen.click("dialog .danger");
            TestRedis.await(
                    "the group gone", () -> server.get("/v1/topics/bulk").json().getInteger("delayed") == 1);
            screen.until("the dialog gone", "!document.querySelector('dialog')");
            screen.until("a list", "!document.querySelector('main .skeleton')");
            press(screen, "Delete all delayed…");
            screen.until("its count", "document.querySelector('dialog .big-number')?.textContent === '1 job'");
            assertEquals(1, server.get("/v1/topics/bulk").json().getInteger("delayed"), "not yet confirmed");
            screen.click("dialog .danger");
            TestRedis.await(
                    "all gone", () -> server.get("/v1/topics/bulk").json().getInteger("delayed") == 0);
        }
    }

    @Test
    void a_wrong_password_is_refused_and_a_viewer_may_only_look() throws Exception {
        try (TestServer server = TestServer.start(set -> Wire.with(
                set,
                set.http(),
                List.of(Wire.token("secret", 0, "admin", "push", "consume")),
                List.of(Wire.user("vera", PASSWORD + "vera", false), Wire.user("adam", PASSWORD + "adam", true))))) {
            Screen screen = Screen.open(chromium, server.port());
            logIn(screen, "vera", "guess");
            screen.until("refused", "document.querySelector('.login .problem')");
            logIn(screen, "vera", PASSWORD + "vera");
            screen.until("in", "document.querySelector('nav') && !document.querySelector('.login')");
            screen.go("#/topics");
            assertFalse(screen.is("document.querySelector('main button.primary')"), "a viewer is offered a push");
            screen.click(".switches button:last-child");
            screen.until("out", "document.querySelector('.login')");
            logIn(screen, "adam", PASSWORD + "adam");
            screen.until("in", "document.querySelector('nav')");
            screen.go("#/");
            screen.click(".demo-push");
            screen.until("the job done", "document.querySelectorAll('.demo-steps li').length === 4");
        }
    }

    @Test
    void texts_that_look_like_html_show_as_text() throws Exception {
        try (TestServer server = TestServer.start()) {
            JsonObject job = new JsonObject()
                    .put("id", HTML)
                    .put("group", HTML)
                    .put("retry", new JsonObject().put("maxAttempts", 1))
                    .put("body", HTML);
            server.push("html", job.encode());
            server.settle("nack", server.reserve("html", 1, "5s").job(0), ",\"error\":\"" + HTML + "\"");
            plant(server.settings.namespace());
            Screen screen = Screen.open(chromium, server.port());
            screen.tab().type("window.alerts = 0; window.alert = () => window.alerts++; ''");
            for (String page : List.of(
                    "#/",
                    "#/topics",
                    "#/topics/html?state=dead",
                    "#/topics/html/jobs/" + TestServer.encode(HTML),
                    "#/topics/" + TestServer.encode(HTML),
                    "#/dead")) {
                screen.go(page);
                screen.until(
                        page + " with the text",
                        "document.querySelector('main').textContent.includes(" + Screen.quoted(HTML) + ")");
                assertFalse(screen.is("document.querySelector('img[src=x]')"), page);
            }
            assertEquals("0", screen.tab().type("String(window.alerts)"));
        }
    }

    @Test
    void a_banner_tells_that_redis_is_away_and_goes_when_it_is_back() throws Exception {
        try (TestRedis redis = TestRedis.start(TestRedis.Options.standalone());
                TestServer server = TestServer.start(set -> TestServer.settings(redis.url()))) {
            Screen screen = Screen.open(chromium, server.port());
            screen.until("the first sample", "document.querySelector('.tile-value').textContent === '0'");
            for (int round = 0; round < 2; round++) {
                redis.kill();
                screen.until("the banner", NOTICED, "!document.querySelector('.banner').hidden");
                assertTrue(screen.text(".banner").contains("Redis"), screen.text(".banner"));
                redis.restart();
                screen.until("the banner gone", NOTICED, "document.querySelector('.banner').hidden");
            }
        }
    }

    /** A browser keeps pages to go back to, and has six connections to a server: their streams must not hold them all. */
    @Test
    void whoever_comes_back_again_and_again_still_finds_connections_free() throws Exception {
        try (TestServer server = TestServer.start()) {
            server.push("back", "{\"delay\":\"1h\"}");
            Screen screen = Screen.open(chromium, server.port());
            String page = "http://127.0.0.1:" + server.port() + "/#/topics/back";
            for (int i = 0; i < 9; i++) {
                screen.visit("about:blank");
                screen.visit(page);
                screen.until("round " + i, "document.querySelector('main table')");
            }
        }
    }

    /** A topic with jobs in most states, and another one whose consumer holds a job. */
    private static void fill(TestServer server) {
        server.send("PUT", "/v1/topics/walk", "{\"keepDone\":\"1h\"}");
        for (int i = 0; i < 60; i++) {
            server.push(
                    "walk",
                    new JsonObject()
                            .put("delay", (i + 10) + "m")
                            .put("priority", i % 2 == 0 ? "high" : "normal")
                            .put("group", "g")
                            .encode());
        }
        server.push("walk", "{\"id\":\"waits\",\"delay\":\"1h\",\"body\":{\"some\":[\"json\",1.50]}}");
        server.push("walk", "{\"id\":\"done\"}");
        server.settle("ack", server.reserve("walk", 1, "5s").job(0), "");
        die(server, "walk", "dead");
        new WsConsumer(server.vertx, server.port(), "held", 10, jobs -> {}).stopAcking();
        server.push("held", "{\"id\":\"held\"}");
        untilState(server, "held", "held", "reserved");
    }

    private static void die(TestServer server, String topic, String id) {
        server.push(topic, "{\"id\":\"" + id + "\",\"retry\":{\"maxAttempts\":1},\"body\":{\"order\":1}}");
        server.settle("nack", server.reserve(topic, 1, "5s").job(0), ",\"error\":\"cannot be done\"");
        untilState(server, topic, id, "dead");
    }

    private static void untilState(TestServer server, String topic, String id, String state) {
        TestRedis.await(id + " " + state, () -> server.get("/v1/topics/" + topic + "/jobs/" + id)
                .json()
                .getString("state")
                .equals(state));
    }

    /** A topic whose name no push would take. */
    private static void plant(String namespace) {
        TestRedis redis = TestRedis.shared();
        for (Object key : (List<?>) redis.command("KEYS", "*" + namespace + "*:names")) {
            redis.command("ZADD", key.toString(), "0", HTML);
            String settings = key.toString().replaceAll("names$", "topics");
            redis.command("HSET", settings, HTML, "");
        }
    }

    private static void press(Screen screen, String text) {
        String button = "[...document.querySelectorAll('main button')].find(one => one.textContent === "
                + Screen.quoted(text) + ")";
        screen.until(text, button + "?.disabled === false");
        screen.tab().type(button + ".click()");
    }

    private static void logIn(Screen screen, String user, String password) {
        screen.until("the form", "document.querySelector('.login')");
        screen.fill("input[name=user]", user);
        screen.fill("input[name=password]", password);
        screen.click(".login [type=submit]");
    }

    private static String problems(Screen screen) {
        return screen.tab().type("[...document.querySelectorAll('main .problem')].map(one => one.textContent).join()");
    }

    private static List<String> violations(Screen screen, String where) {
        String found = screen.tab()
                .type("axe.run(document, {resultTypes: ['violations']}).then(all => JSON.stringify(all.violations.map("
                        + "one => one.id + ': ' + one.nodes.slice(0, 3).map(node => node.html).join(' '))))");
        return new JsonArray(found).stream().map(one -> where + " " + one).toList();
    }
}
