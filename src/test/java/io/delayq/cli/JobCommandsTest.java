package io.delayq.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class JobCommandsTest extends CliTestBase {
    @Test
    void push_says_when_the_job_is_due() {
        Said said = run("push", topic, "--in", "30m", "--id", "1001", "{\"id\":1}");
        assertEquals(0, said.code(), said.err());
        assertTrue(said.out().matches(topic + " 1001  delayed, due in 30m \\(20\\S+Z, \\d{13}\\)\\R"), said.out());
    }

    @Test
    void delay_is_another_word_for_in() {
        assertTrue(run("push", topic, "--delay", "30m", "--id=1", "{}").out().contains("due in 30m ("));
        assertTrue(run("put", topic, "1", "--delay=1h").out().contains("due in 1h ("));
        assertTrue(run("reschedule", topic, "1", "--delay", "2h").out().contains("due in 2h ("));
        Said wrong = run("push", topic, "--delay=soon");
        assertEquals(2, wrong.code());
        assertTrue(wrong.err().contains("--in"), wrong.err());
    }

    @Test
    void push_takes_every_field() {
        assertEquals(
                0,
                run(
                                "push",
                                topic,
                                "--at=2035-01-01T00:00:00Z",
                                "--id=a",
                                "--priority=high",
                                "--ttr=5s",
                                "--group=g",
                                "--ttl=1h",
                                "--max-attempts=3",
                                "[1.50]")
                        .code());
        JsonObject job = server.get("/v1/topics/" + topic + "/jobs/a").json();
        assertEquals(2051222400000L, job.getLong("due"));
        assertEquals("high", job.getString("priority"));
        assertEquals(5_000, job.getLong("ttr"));
        assertEquals("g", job.getString("group"));
        assertEquals(3_600_000, job.getLong("ttl"));
        assertEquals(3, job.getJsonObject("retry").getInteger("maxAttempts"));
        assertTrue(server.get("/v1/topics/" + topic + "/jobs/a").text().contains("[1.50]"));
    }

    @Test
    void push_with_json_gives_the_servers_answer() {
        JsonObject answer = run("push", "--json", topic, "--in", "1h").json();
        assertEquals(topic, answer.getString("topic"));
        assertEquals("delayed", answer.getString("state"));
    }

    @Test
    void push_reads_the_body_from_standard_input() {
        assertEquals(
                0,
                run(Map.of("DELAYQ_URL", url()), "{\"a\":[1,2]}\n", "push", topic, "--id=x", "-")
                        .code());
        assertTrue(server.get("/v1/topics/" + topic + "/jobs/x").text().contains("{\"a\":[1,2]}"));
    }

    @Test
    void a_body_that_is_no_json_is_refused_with_what_to_write() {
        Said said = run("push", topic, "hello");
        assertEquals(2, said.code());
        assertEquals("delayq: the body is not JSON; quote a text twice, such as '\"hello\"'\n", said.err());
    }

    @Test
    void faults_that_the_server_finds_are_one_line() {
        Said said = run("push", topic, "--priority=urgent", "--ttr=1ms");
        assertEquals(1, said.code());
        assertEquals(1, said.err().lines().count(), said.err());
        assertTrue(said.err().contains("priority: ") && said.err().contains("ttr: "), said.err());
    }

    @Test
    void an_id_in_use_is_a_failure() {
        run("push", topic, "--id=1", "--in=1h");
        Said said = run("push", topic, "--id=1", "--in=1h");
        assertEquals(1, said.code());
        assertEquals("", said.out());
        assertTrue(said.err().startsWith("delayq: "), said.err());
    }

    @Test
    void put_replaces() {
        assertFalse(run("put", topic, "a b/c", "--in=1h", "1").out().contains("replaced"));
        assertTrue(run("put", topic, "a b/c", "--in=2h", "2").out().contains("delayed, due in 2h"));
        assertTrue(run("put", topic, "a b/c", "--in=2h", "2").out().endsWith(", replaced\n"));
        assertEquals(2, run("get", "--json", topic, "a b/c").json().getInteger("body"));
    }

    @Test
    void a_job_is_reserved_and_acked() {
        run("push", topic, "--id=1", "{\"n\":1}");
        Said said = run("reserve", topic, "--wait=5s");
        assertEquals(0, said.code(), said.err());
        assertTrue(said.out().contains(topic + " 1  attempt 1 of 10, due "), said.out());
        assertTrue(said.out().contains("  body   {\"n\":1}"), said.out());
        String lease = said.out()
                .lines()
                .filter(line -> line.contains("  lease  "))
                .findFirst()
                .orElseThrow()
                .substring(9);
        assertEquals(topic + " 1  done\n", run("ack", topic, "1", lease).out());
        Said again = run("ack", topic, "1", lease);
        assertEquals(1, again.code());
        assertTrue(again.err().contains("lease"), again.err());
        assertEquals("no job of " + topic + " is ready\n", run("reserve", topic).out());
    }

    @Test
    void a_job_is_nacked_and_shows_why() {
        run("push", topic, "--id=1");
        String lease = run("reserve", "--json", topic, "--wait=5s")
                .json()
                .getJsonArray("jobs")
                .getJsonObject(0)
                .getString("lease");
        Said said = run("nack", topic, "1", lease, "--in=10m", "--error=no money");
        assertTrue(said.out().startsWith(topic + " 1  delayed, due in 10m ("), said.out() + said.err());
        Said shown = run("get", topic, "1");
        assertTrue(shown.out().contains("attempts   1\n"), shown.out());
        assertTrue(shown.out().contains("no money"), shown.out());
    }

    @Test
    void get_shows_raw_and_readable_values() {
        run("push", topic, "--id=1", "--in=1h", "{\"a\":1.50}");
        Said said = run("get", topic, "1");
        assertTrue(said.out().contains("state      delayed\n"), said.out());
        assertTrue(said.out().matches("(?s).*due        in 1h \\(\\S+Z, \\d{13}\\)\n.*"), said.out());
        assertTrue(said.out().contains("ttr        1m (60000 ms)\n"), said.out());
        assertTrue(said.out().contains("\"a\": 1.50\n"), said.out());
        assertEquals("1", run("get", "--json", topic, "1").json().getString("id"));
    }

    @Test
    void reschedule_needs_a_time_and_sets_it() {
        run("push", topic, "--id=1", "--in=1h");
        assertEquals(2, run("reschedule", topic, "1").code());
        assertTrue(run("reschedule", topic, "1", "--in=2h").out().contains("due in 2h ("));
        assertEquals(
                2051222400000L,
                run("reschedule", "--json", topic, "1", "--at=2051222400000")
                        .json()
                        .getLong("due"));
    }

    @Test
    void cancel_removes_and_tells_when_there_is_nothing() {
        run("push", topic, "--id=1", "--in=1h");
        assertEquals(topic + " 1  cancelled\n", run("cancel", topic, "1").out());
        Said said = run("cancel", topic, "1");
        assertEquals(1, said.code());
        assertEquals(1, said.err().lines().count());
    }

    @Test
    void watch_shows_jobs_with_their_lateness_and_acks_them() {
        run("push", topic, "--id=1", "{\"n\":1}");
        run("push", topic, "--id=2");
        Said said = run("watch", topic, "--ack", "-n", "2");
        assertEquals(0, said.code(), said.err());
        assertTrue(said.out().matches("(?s).*  1  late \\S+  \\{\"n\":1}\n.*"), said.out());
        assertEquals(2, said.out().lines().count());
        assertEquals(404, server.get("/v1/topics/" + topic + "/jobs/1").status());
        assertEquals(404, server.get("/v1/topics/" + topic + "/jobs/2").status());
    }

    @Test
    void watch_tells_when_there_is_no_such_topic_yet() throws Exception {
        FutureTask<Said> watching = new FutureTask<>(() -> run("watch", topic, "--ack", "-n", "1"));
        new Thread(watching, "watch").start();
        TestRedis.await("subscribed", () -> server.get("/metrics")
                .text()
                .lines()
                .anyMatch(line -> line.matches("delayq_queue.*\"sessions\".* 1.0")));
        run("push", topic);
        assertTrue(
                watching.get(20, TimeUnit.SECONDS).err().startsWith("watching " + topic + " (no such topic yet) at "),
                watching.get().err());
        run("push", topic);
        assertTrue(run("watch", topic, "--ack", "-n", "1").err().startsWith("watching " + topic + " at "));
    }

    @Test
    void watch_without_ack_gives_the_job_back() {
        run("push", topic, "--id=1", "7");
        JsonObject shown = run("watch", "--json", topic, "-n1").json();
        assertEquals("1", shown.getString("id"));
        assertEquals(7, shown.getInteger("body"));
        assertTrue(shown.getLong("late") < 60_000);
        JsonObject again = run("reserve", "--json", topic, "--wait=10s")
                .json()
                .getJsonArray("jobs")
                .getJsonObject(0);
        assertEquals(2, again.getInteger("attempt"));
    }
}
