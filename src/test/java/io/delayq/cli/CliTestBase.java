package io.delayq.cli;

import io.delayq.path.TestServer;
import io.vertx.core.json.JsonObject;
import java.io.BufferedWriter;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import picocli.CommandLine;

/** Runs commands in this process, with their streams caught. */
abstract class CliTestBase {
    static TestServer server;

    final String topic = "t" + UUID.randomUUID().toString().substring(0, 8);

    record Said(int code, String out, String err) {
        JsonObject json() {
            return new JsonObject(out);
        }
    }

    @BeforeAll
    static void open() {
        server = TestServer.start();
    }

    @AfterAll
    static void close() {
        server.close();
    }

    static String url() {
        return "http://127.0.0.1:" + server.port();
    }

    /** Asks the test's server. */
    Said run(String... args) {
        return run(Map.of("DELAYQ_URL", url()), "", args);
    }

    static Said run(Map<String, String> env, String in, String... args) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Context context = new Context(
                env, new ByteArrayInputStream(in.getBytes(StandardCharsets.UTF_8)), false, "1.2.3", (file, flags) -> {
                    out.write("serve " + file + " " + flags);
                });
        // buffered: what a command does not flush is lost, as it is when the process ends
        CommandLine cli = Cli.of(context, args)
                .setOut(new PrintWriter(new BufferedWriter(out), true))
                .setErr(new PrintWriter(new BufferedWriter(err), true));
        return new Said(cli.execute(args), out.toString(), err.toString());
    }
}
