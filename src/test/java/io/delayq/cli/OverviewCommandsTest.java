package io.delayq.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import at.favre.lib.crypto.bcrypt.BCrypt;
import io.delayq.config.Settings;
import io.delayq.path.TestServer;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class OverviewCommandsTest extends CliTestBase {
    private static final String NOBODY = "http://127.0.0.1:1";

    @Test
    void topics_are_a_table() {
        run("push", topic, "--in=1h");
        Said said = run("topics", topic);
        assertEquals(0, said.code(), said.err());
        assertTrue(said.out().startsWith("TOPIC     "), said.out());
        assertTrue(said.out().matches("(?s).*\n" + topic + "( +\\d+){5}\n"), said.out());
        assertFalse(said.out().contains("DONE"), "no topic has any");
        assertEquals(
                1,
                run("topics", "--json", topic)
                        .json()
                        .getJsonArray("topics")
                        .getJsonObject(0)
                        .getInteger("delayed"));
        assertTrue(run("topics", "nothing-like-it").out().contains("no topic begins with nothing-like-it"));
    }

    @Test
    void topics_show_what_is_done_where_it_is_kept() {
        assertEquals(
                200,
                server.send("PUT", "/v1/topics/" + topic, "{\"keepDone\":\"1d\"}")
                        .status());
        run("push", topic);
        assertEquals(0, run("watch", topic, "--ack", "-n1").code());
        TestRedis.await("done", () -> server.get("/v1/topics/" + topic).text().contains("\"done\":1"));
        String out = run("topics", topic).out();
        assertTrue(out.matches("(?s)TOPIC +DELAYED +READY +RESERVED +DEAD +DONE +CONSUMERS\n.*"), out);
        assertTrue(out.matches("(?s).*\n" + topic + "( +0){4} +1 +\\d\n"), out);
    }

    @Test
    void stats_and_topics_call_consumers_the_same() {
        run("push", topic, "--in=1h");
        Remote remote = new Remote(url(), null);
        Sample sample = Sample.take(remote, topic);
        assertTrue(
                StatsCommand.lines(remote, sample, sample, 80, 24).get(4).endsWith("  CONSUMERS"),
                StatsCommand.lines(remote, sample, sample, 80, 24).toString());
    }

    @Test
    void stats_piped_are_one_json_without_colour() {
        run("push", topic, "--in=1h");
        Said said = run("stats", topic, "--interval=50ms");
        assertEquals(0, said.code(), said.err());
        assertEquals(1, said.out().lines().count());
        assertFalse(said.out().contains("\033"));
        JsonObject row = said.json().getJsonArray("topics").getJsonObject(0);
        assertEquals(topic, row.getString("topic"));
        assertEquals(1, row.getInteger("delayed"));
        assertEquals(0.0, row.getDouble("pushedPerSecond"));
    }

    @Test
    void rates_are_differences() {
        Remote remote = new Remote(url(), null);
        run("push", topic);
        Sample before = Sample.take(remote, topic);
        run("push", topic);
        run("push", topic);
        Sample now = Sample.take(remote, topic);
        double seconds = (now.nanos() - before.nanos()) / 1e9;
        assertEquals(2 / seconds, now.perSecond(before, Sample.PUSHED, topic), 0.01);
    }

    @Test
    void the_live_table_keeps_within_80_columns() {
        String long1 = topic + "-a-topic-with-a-name-that-is-longer-than-its-column-may-be";
        run("push", long1, "--in=1h");
        Remote remote = new Remote(url(), null);
        Sample sample = Sample.take(remote, topic);
        for (String line : StatsCommand.lines(remote, sample, sample, 80, 24)) {
            assertTrue(line.length() <= 80, line);
        }
    }

    @Test
    void the_live_table_shows_the_busiest_topics_when_there_is_no_room_for_all() {
        for (String end : new String[] {"a", "b", "c", "d"}) {
            run("push", topic + end, "--in=1h");
        }
        run("push", topic + "d", "--in=1h");
        Remote remote = new Remote(url(), null);
        Sample before = Sample.take(remote, topic);
        run("push", topic + "c", "--in=1h");
        Sample now = Sample.take(remote, topic);
        List<String> all = StatsCommand.lines(remote, before, now, 80, 9);
        assertTrue(all.get(5).startsWith(topic + "a"), all.toString());
        List<String> some = StatsCommand.lines(remote, before, now, 80, 8);
        assertEquals(8, some.size());
        assertTrue(some.get(5).startsWith(topic + "c"), some.toString());
        assertTrue(some.get(6).startsWith(topic + "d"), some.toString());
        assertEquals("... and 2 more; name a prefix to see them", some.get(7));
    }

    @Test
    void a_server_that_is_not_there_is_named() {
        for (String[] command : new String[][] {
            {"push", "t"}, {"get", "t", "1"}, {"topics"}, {"stats"}, {"watch", "t"}, {"reserve", "t"}
        }) {
            Said said = run(Map.of("DELAYQ_URL", NOBODY), "", command);
            assertEquals(1, said.code());
            assertEquals("", said.out());
            assertEquals(1, said.err().lines().count(), said.err());
            assertTrue(said.err().startsWith("delayq: no server at " + NOBODY + "; start one with"), said.err());
        }
    }

    @Test
    void a_token_that_is_missing_or_wrong_is_told_alike_by_all() {
        List<Settings.Token> tokens =
                List.of(new Settings.Token("shop", "0".repeat(64), List.of("push"), List.of("*")));
        try (TestServer guarded = TestServer.start(set -> new Settings(
                set.http(),
                set.dataDir(),
                set.redis(),
                set.namespace(),
                set.buckets(),
                set.instances(),
                tokens,
                set.insecure()))) {
            String url = "http://127.0.0.1:" + guarded.port();
            for (String[] command : new String[][] {{"push", "t"}, {"topics"}, {"stats"}, {"watch", "t"}}) {
                assertEquals(
                        "delayq: the server at " + url + " asks for a token; give one with --token or DELAYQ_TOKEN\n",
                        run(Map.of("DELAYQ_URL", url), "", command).err());
                assertEquals(
                        "delayq: the token is not known; check it against the server's tokens\n",
                        run(Map.of("DELAYQ_URL", url, "DELAYQ_TOKEN", "wrong"), "", command)
                                .err());
            }
        }
    }

    @Test
    void bad_arguments_are_one_line_and_code_2() {
        for (String[] command : new String[][] {
            {"psh"},
            {"--nope"},
            {"push"},
            {"push", "t", "--nope"},
            {"push", "t", "--in=1x"},
            {"push", "t", "--in=1s", "--at=5"},
            {"push", "t", "--at=tomorrow"},
            {"topics", "--url=foo"},
            {"watch", "t", "-n0"},
            {"ack", "t", "1"},
            {"help", "nothing"}
        }) {
            Said said = run(command);
            assertEquals(2, said.code(), String.join(" ", command) + said.err());
            assertEquals("", said.out());
            assertEquals(1, said.err().lines().count(), said.err());
            assertTrue(said.err().startsWith("delayq: "), said.err());
        }
        assertTrue(run("psh").err().contains("did you mean push"));
    }

    @Test
    void what_does_not_fit_is_answered_with_what_was_expected() {
        String help = "; see 'delayq push --help'\n";
        assertEquals(
                "delayq: unknown option --dely, did you mean --delay; expected delayq push [OPTIONS] TOPIC [BODY]"
                        + help,
                run("push", topic, "--dely", "5s", "{}").err());
        assertEquals(
                "delayq: unknown option --nope; expected delayq push [OPTIONS] TOPIC [BODY]" + help,
                run("push", topic, "--nope").err());
        assertEquals(
                "delayq: one argument too many: {}; expected delayq push [OPTIONS] TOPIC [BODY], a body with spaces"
                        + " in quotes" + help,
                run("push", topic, "1", "{}").err());
        assertEquals(
                "delayq: missing TOPIC; expected delayq push [OPTIONS] TOPIC [BODY]" + help,
                run("push").err());
        assertEquals(
                "delayq: missing LEASE; expected delayq ack [OPTIONS] TOPIC ID LEASE; see 'delayq ack --help'\n",
                run("ack", topic, "1").err());
        assertEquals(
                "delayq: one argument too many: x; expected delayq topics [OPTIONS] [PREFIX]; see 'delayq topics"
                        + " --help'\n",
                run("topics", "a", "x").err());
    }

    @Test
    void commands_follow_the_settings_of_the_server(@TempDir Path dir) throws IOException {
        Map<String, String> port = Map.of("DELAYQ_HTTP_PORT", Integer.toString(server.port()));
        assertEquals(0, run(port, "", "topics").code(), run(port, "", "topics").err());
        assertEquals(
                "delayq: no server at " + NOBODY + "; start one with 'delayq serve', or name another with --url or"
                        + " DELAYQ_URL\n",
                run(Map.of("DELAYQ_HTTP_PORT", "1"), "", "topics").err());
        String file = Files.writeString(
                        dir.resolve("my.yaml"), "http:\n  host: 0.0.0.0\n  port: " + server.port() + "\n")
                .toString();
        for (String[] command : new String[][] {{"topics", "-c", file}, {"-c", file, "topics"}}) {
            assertEquals(
                    0,
                    run(Map.of(), "", command).code(),
                    run(Map.of(), "", command).err());
        }
        // the environment over the file, as for the server; and an address over both
        assertEquals(
                1,
                run(Map.of("DELAYQ_HTTP_PORT", "1"), "", "topics", "-c", file).code());
        assertEquals(
                1, run(Map.of("DELAYQ_URL", NOBODY), "", "topics", "-c", file).code());
    }

    @Test
    void settings_that_name_no_server_are_told(@TempDir Path dir) throws IOException {
        Said any = run(Map.of("DELAYQ_HTTP_PORT", "0"), "", "topics");
        assertEquals(1, any.code());
        assertEquals("delayq: http.port is 0, so the server's port is not known; name it with --url\n", any.err());
        Said none = run(Map.of("DELAYQ_HTTP_PORT", "x"), "", "topics");
        assertEquals(1, none.code());
        assertTrue(none.err().contains("http.port"), none.err());
        Said absent =
                run(Map.of(), "", "topics", "-c", dir.resolve("absent.yaml").toString());
        assertEquals(1, absent.code());
        assertTrue(absent.err().contains("absent.yaml"), absent.err());
        Said broken = run(
                Map.of(),
                "",
                "topics",
                "-c",
                Files.writeString(dir.resolve("b.yaml"), "http: [").toString());
        assertEquals(1, broken.code());
        assertTrue(broken.err().contains("not valid YAML"), broken.err());
    }

    @Test
    void doctor_warns_when_no_server_answers(@TempDir Path dir) {
        Map<String, String> env = Map.of("DELAYQ_HTTP_PORT", "1", "DELAYQ_DATA_DIR", dir.toString());
        Said said = run(env, "", "doctor", "--", "--http.maxConnections=1");
        assertEquals(0, said.code(), said.out());
        assertTrue(said.out().contains("warning  server         none answers at " + NOBODY), said.out());
        assertTrue(said.out().endsWith("\n1 warning, 1 note\n"), said.out());
        assertTrue(run(env, "", "doctor", "--json").out().contains("\"level\":\"warning\""));
    }

    @Test
    void an_option_goes_before_the_variable() {
        assertEquals(
                0,
                run(Map.of("DELAYQ_URL", NOBODY), "", "topics", "--url", url() + "/")
                        .code());
    }

    @Test
    void a_secret_is_hashed_for_the_settings() {
        assertEquals(
                "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b\n",
                run(Map.of(), "secret\nmore", "secret", "--token").out());
        String hash = run(Map.of(), "pässword\r\n", "secret").out().strip();
        assertTrue(hash.startsWith("$2b$12$"), hash);
        assertTrue(BCrypt.verifyer().verify("pässword".toCharArray(), hash).verified);
        Said nothing = run(Map.of(), "", "secret");
        assertEquals(2, nothing.code());
        assertTrue(nothing.err().contains("expected the secret"), nothing.err());
    }

    @Test
    void help_and_version() {
        assertEquals("delayq 1.2.3\n", run("version").out());
        assertEquals("delayq 1.2.3\n", run("-v").out());
        assertEquals(run().out(), run("-h").out());
        assertEquals(run("push", "-h").out(), run("help", "push").out());
        for (String name : Cli.of(Context.ofProcess("1", (file, flags) -> {}))
                .getSubcommands()
                .keySet()) {
            Said said = run(name, "-h");
            assertEquals(0, said.code(), name);
            assertTrue(said.out().startsWith("Usage: delayq " + name), said.out());
            assertTrue(said.out().lines().allMatch(line -> line.length() <= 80), said.out());
        }
    }

    @Test
    void completion_is_a_whole_script() {
        String script = run("completion").out();
        assertTrue(script.contains("\ncomplete -F _complete_delayq -o default delayq"), script);
    }

    @Test
    void a_topic_named_like_a_command_is_none() {
        CommandLine cli = Cli.of(Context.ofProcess("1", (file, flags) -> {}));
        assertTrue(Cli.serves(cli.parseArgs("serve", "--http.port=0")));
        assertTrue(Cli.serves(cli.parseArgs("-c", "f.yaml", "serve")));
        assertFalse(Cli.serves(cli.parseArgs("push", "serve")));
        assertFalse(Cli.serves(cli.parseArgs("help", "serve")));
        assertFalse(Cli.serves(cli.parseArgs()));
    }

    @Test
    void a_long_name_is_cut_in_the_middle() {
        Table table = new Table("TOPIC", "READY");
        table.row(List.of("shop.production.orders.close", "1"));
        table.row(List.of("shop.production.orders.remind", "2"));
        assertEquals(List.of("TOPIC          READY", "shop.p….close      1", "shop.p…remind      2"), table.lines(20));
    }

    @Test
    void long_findings_are_broken_at_spaces() {
        assertEquals("one two\n  three", Texts.wrapped("one two three", 2, 10));
        assertEquals("a\n    wordwithoutroom\n    b", Texts.wrapped("a wordwithoutroom b", 4, 10));
        assertEquals("", Texts.wrapped("", 2, 10));
    }

    @Test
    void serve_gets_its_flags_unchanged() {
        assertEquals(
                "serve null [--http.port=0, --insecure, --redis.url, a=b, -x]",
                run("serve", "--http.port=0", "--insecure", "--redis.url", "a=b", "-x")
                        .out());
        assertEquals(
                "serve f.yaml [--http.port, 0]",
                run("serve", "--http.port", "0", "-c", "f.yaml").out());
        assertEquals("serve f.yaml []", run("-c", "f.yaml", "serve").out());
    }

    @Test
    void doctor_finds_what_is_wrong_with_redis_and_says_what_to_do() {
        Said said = run("doctor", "--", "--redis.url=" + TestRedis.shared().url());
        assertTrue(said.out().contains("ok       configuration"), said.out());
        assertTrue(said.out().contains("ok       server         ready at " + url()), said.out());
        assertTrue(
                said.out()
                        .contains("ok       servers        " + url()
                                + " ingress, scanner, dispatcher, gateway, webhook; scans"),
                said.out());
        assertTrue(said.out().contains("ok       redis version  "), said.out());
        assertTrue(said.out().contains("latency"), said.out());
        assertTrue(said.out().contains("clock"), said.out());
        assertTrue(said.out().contains("file limit"), said.out());
        assertEquals(said.out().contains("problem  ") ? 1 : 0, said.code());
        assertFalse(said.out().contains("\033"));
    }

    @Test
    void doctor_tells_a_redis_that_is_away_and_faults() {
        Said away = run("doctor", "--json", "--", "--redis.url=redis://:secret@127.0.0.1:1");
        assertEquals(1, away.code());
        assertFalse(away.json().getBoolean("ok"));
        assertFalse(away.out().contains("secret"));
        assertTrue(away.out().contains("\"check\":\"redis\",\"level\":\"problem\""), away.out());
        Said faults = run("doctor", "--", "--http.port=x", "--nope=1");
        assertEquals(1, faults.code());
        assertTrue(faults.out().contains("problem  configuration  http.port: \"x\" (flag --http.port)"), faults.out());
    }
}
