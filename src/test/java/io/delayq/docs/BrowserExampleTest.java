package io.delayq.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.delayq.path.TestServer;
import io.delayq.redis.TestRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The example for the browser, in a browser where there is one, and in Node. */
@ExtendWith(Skips.class)
class BrowserExampleTest {
    private static final Path EXAMPLE = Path.of("docs/examples/browser").toAbsolutePath();

    private static TestServer server;

    @TempDir
    private Path dir;

    private final int pagePort = Machine.freePort();
    private Terminal terminal;
    private Terminal.Running page;

    @BeforeAll
    static void open() {
        server = TestServer.start();
    }

    @AfterAll
    static void close() {
        server.close();
    }

    @BeforeEach
    void openTerminal() {
        terminal = new Terminal(dir, dir, Map.of("DELAYQ_URL", "http://127.0.0.1:" + server.port()));
    }

    @AfterEach
    void closeTerminal() {
        terminal.close();
    }

    @Test
    void the_page_shows_and_acks_jobs_and_goes_on_when_the_connection_was_lost() throws Exception {
        Machine.needTool("node");
        servePage();
        try (Chromium chromium = new Chromium(profile())) {
            Chromium.Tab tab = chromium.open(pageUrl() + "?topic=page");
            push("page", "1");
            untilGone("page", "1");
            page.stop();
            TestRedis.await(
                    "the page without a connection", () -> tab.type("document.querySelector('#title').dataset.state")
                            .equals("disconnected"));
            servePage();
            push("page", "2");
            untilGone("page", "2");
            assertEquals(
                    "2 {\"orderId\":2}\n1 {\"orderId\":1}",
                    tab.type("[...document.querySelectorAll('#jobs li')].map(line => line.textContent).join('\\n')"));
        }
    }

    @Test
    void a_page_of_another_origin_is_refused_and_one_of_the_servers_own_is_not() throws Exception {
        String connect = "new Promise(done => { const ws = new WebSocket('ws://127.0.0.1:" + server.port()
                + "/v1/ws'); ws.onopen = () => done('open'); ws.onclose = e => done('closed ' + e.code); })";
        Path file = Files.writeString(dir.resolve("page.html"), "<!doctype html><title>from a file</title>");
        try (Chromium chromium = new Chromium(profile())) {
            assertEquals(
                    "closed 1006", chromium.open("file://" + file.toRealPath()).type(connect));
            Chromium.Tab own = chromium.open("http://127.0.0.1:" + server.port() + "/health/live");
            assertEquals("open", own.type(connect));
            String readme = Files.readString(Path.of("README.md"));
            String script = Fence.all("README.md", readme).stream()
                    .filter(fence -> fence.language().equals("js"))
                    .findFirst()
                    .orElseThrow()
                    .text();
            own.type(script.replace("9277", Integer.toString(server.port())));
            push("order", "3");
            untilGone("order", "3");
        }
    }

    @Test
    void in_node_it_acks_what_worked_nacks_what_failed_and_goes_on_when_the_connection_was_lost() throws Exception {
        String node = Machine.needNode();
        servePage();
        Path script = Files.writeString(
                dir.resolve("consumer.mjs"),
                """
                import { consume } from "%s";
                consume({
                  url: "ws://127.0.0.1:%d/v1/ws",
                  topic: "node",
                  work(job) {
                    if (job.id === "bad") throw new Error("cannot do it");
                  },
                  onState: console.log,
                });
                """
                        .formatted(EXAMPLE.resolve("consumer.mjs").toUri(), pagePort));
        Terminal.Running consumer = terminal.open("exec " + node + " " + script);
        push("node", "4");
        untilGone("node", "4");
        page.stop();
        consumer.printed(text -> text.endsWith("disconnected\n"));
        servePage();
        server.push("node", "{\"id\":\"bad\",\"retry\":{\"maxAttempts\":1}}");
        TestRedis.await("the failed job dead", () -> server.get("/v1/topics/node/jobs/bad")
                .json()
                .getString("state")
                .equals("dead"));
        assertEquals(
                "cannot do it", server.get("/v1/topics/node/jobs/bad").json().getString("lastError"));
        consumer.stop();
    }

    private void servePage() {
        page = terminal.open("PORT=" + pagePort + " exec node " + EXAMPLE.resolve("serve.mjs"));
        page.printed(text -> text.equals(pageUrl() + "\n"));
    }

    private String pageUrl() {
        return "http://127.0.0.1:" + pagePort + "/";
    }

    private Path profile() throws IOException {
        return Files.createDirectory(dir.resolve("profile"));
    }

    private static void push(String topic, String id) {
        server.push(topic, "{\"id\":\"" + id + "\",\"body\":{\"orderId\":" + id + "}}");
    }

    private static void untilGone(String topic, String id) {
        TestRedis.await(
                "job " + id + " acked",
                () -> server.get("/v1/topics/" + topic + "/jobs/" + id).status() == 404);
    }
}
