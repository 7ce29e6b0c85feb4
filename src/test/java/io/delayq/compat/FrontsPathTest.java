package io.delayq.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.sun.net.httpserver.HttpServer;
import io.delayq.config.Allowed;
import io.delayq.config.Compat;
import io.delayq.config.Settings;
import io.delayq.config.Settings.Address;
import io.delayq.config.Settings.FrontEnds;
import io.delayq.path.TestServer;
import io.delayq.path.TestServer.Reply;
import io.delayq.redis.TestRedis;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Where the front ends are served, as whom, and what becomes of their jobs in the core. */
class FrontsPathTest {
    private static final String JOB = "{\"topic\":\"%s\",\"id\":\"%s\",\"delay\":%d,\"ttr\":%d,\"body\":\"b\"}";
    private static final String OK = "{\"code\":0,\"message\":\"操作成功\",\"data\":null}";
    private static final String ADDED = "{\"code\":0,\"message\":\"添加成功\",\"data\":null}";
    /** Of the text "secret". */
    private static final String HASH = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b";

    private final List<TestServer> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(TestServer::close);
    }

    private TestServer server(FrontEnds fronts, Settings.Token... tokens) {
        Settings set = TestServer.settings(TestRedis.shared().url());
        TestServer server = TestServer.start(ignored -> new Settings(
                        set.http(),
                        set.dataDir(),
                        set.redis(),
                        set.namespace(),
                        set.buckets(),
                        set.instances(),
                        List.of(tokens),
                        set.insecure())
                .withFrontEnds(fronts));
        open.add(server);
        return server;
    }

    private static FrontEnds all(String token, Map<Compat, Address> listen, long hold) {
        return new FrontEnds(EnumSet.allOf(Compat.class), token, listen, hold);
    }

    private TestServer server(long hold) {
        return server(all(null, Map.of(), hold));
    }

    private static Settings.Token token(String name, List<String> rights, String... topics) {
        return new Settings.Token(name, HASH, rights, List.of(topics));
    }

    private static void push(TestServer server, String topic, String id, int delay, int ttr) {
        assertEquals(
                ADDED,
                server.post("/push", JOB.formatted(topic, id, delay, ttr)).text());
    }

    private static JsonObject pop(TestServer server, String topics) {
        return server.post("/pop", "{\"topic\":\"" + topics + "\"}").json().getJsonObject("data");
    }

    private static HttpResponse<String> send(int port, String method, String path, String body, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HttpClient.newHttpClient()
                .send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Test
    void a_front_end_that_is_not_named_is_not_there() {
        TestServer server = server(FrontEnds.NONE);
        for (String path : List.of(
                "/push",
                "/pop",
                "/finish",
                "/delete",
                "/get",
                "/delay-queue/api/jobs/add",
                "/api/task/save",
                "/delayq/job/add",
                "/delayq/ping")) {
            assertEquals(404, server.post(path, "{}").status(), path);
        }
    }

    @Test
    void only_those_that_are_named_are_there() {
        TestServer server = server(new FrontEnds(EnumSet.of(Compat.C4), null, Map.of(), 100));
        assertEquals(200, server.post("/delayq/ping", "{}").status());
        assertEquals(404, server.post("/push", "{}").status());
    }

    @Test
    void with_tokens_a_front_end_is_off_unless_it_has_one_or_an_address_of_its_own_and_says_so() throws Exception {
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger("io.delayq.compat");
        logged.start();
        logger.addAppender(logged);
        int port = freePort();
        Settings.Token token = token("shop", List.of("push"), "*");
        TestServer server = server(all(null, Map.of(Compat.C3, new Address("127.0.0.1", port)), 100), token);
        logger.detachAppender(logged);
        List<String> said =
                logged.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
        assertEquals(
                List.of(
                        "front end c1 is off: tokens are set, and its clients send none; set compatToken, or an address in compatListen",
                        "front end c2 is off: tokens are set, and its clients send none; set compatToken, or an address in compatListen",
                        "front end c3 is served on 127.0.0.1:" + port + ", without asking for a token",
                        "front end c4 is off: tokens are set, and its clients send none; set compatToken, or an address in compatListen",
                        "front end c3 takes tasks off the Redis list delay_queue_task"),
                said);
        assertEquals(404, server.post("/push", "{}").status());
        assertEquals(404, server.post("/api/task/save", "{}").status());
        assertTrue(send(port, "POST", "/api/task/save", "").body().contains("strconv.ParseInt"));
        assertEquals(404, send(port, "POST", "/push", "{}").statusCode(), "only its own");
        assertEquals(404, send(port, "GET", "/v1/topics", "").statusCode(), "and nothing of ours");
    }

    @Test
    void with_a_token_to_run_as_it_has_the_rights_and_topics_of_that_one() {
        Settings.Token token = token("shop", List.of("push"), "mine*");
        TestServer server = server(all("shop", Map.of(), 100), token);
        push(server, "mine1", "1", 60, 60);
        assertEquals(
                "{\"code\":1,\"message\":\"the token is not for topic other\",\"data\":null}",
                server.post("/push", JOB.formatted("other", "2", 60, 60)).text());
        assertEquals(
                "{\"code\":1,\"message\":\"the caller does not have the right consume, which this call needs\",\"data\":null}",
                server.post("/pop", "{\"topic\":\"mine1\"}").text());
        assertEquals(
                "{\"code\":1,\"message\":\"the caller does not have the right consume, which this call needs\",\"data\":null}",
                server.post("/finish", "{\"id\":\"1\"}").text());
        assertEquals(OK, server.post("/delete", "{\"id\":\"1\"}").text());
        assertEquals(401, server.get("/v1/topics/mine1").status(), "all else asks for a token");
    }

    @Test
    void a_front_end_with_an_address_of_its_own_is_there_too_and_shares_it_with_another() throws Exception {
        Address at = new Address("127.0.0.1", freePort());
        TestServer server = server(all(null, Map.of(Compat.C1, at, Compat.C2, at), 3_000));
        assertEquals(
                ADDED,
                send(at.port(), "POST", "/push", JOB.formatted("t", "1", 1, 60)).body());
        assertTrue(send(at.port(), "GET", "/delay-queue/api/jobs/get?job_id=1", "")
                .body()
                .startsWith("{\"code\":0,\"message\":\"ok\""));
        assertTrue(send(at.port(), "POST", "/pop", "{\"topic\":\"t\"}").body().contains("\"id\":\"1\""));
        assertEquals(OK, server.post("/finish", "{\"id\":\"1\"}").text());
    }

    @Test
    void an_address_that_another_program_has_is_told_before_anything_is_started() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Address at = new Address("127.0.0.1", other.getLocalPort());
            AssertionError refused =
                    assertThrows(AssertionError.class, () -> server(all(null, Map.of(Compat.C4, at), 100)));
            assertEquals(
                    "127.0.0.1:" + at.port()
                            + " is in use by another program; stop it, or choose another with --compatListen",
                    refused.getCause().getCause().getMessage());
        }
    }

    /** Nobody is asked for a token there, so that nothing else keeps a page of another origin out. */
    @ParameterizedTest
    @CsvSource({"Origin, http://evil.example", "Sec-Fetch-Site, cross-site", "Sec-Fetch-Site, same-site"})
    void a_page_of_another_origin_is_refused(String header, String value) throws Exception {
        TestServer server = server(100);
        push(server, "t", "1", 60, 60);
        assertEquals(
                403,
                send(server.port(), "GET", "/delay-queue/api/jobs/remove?job_id=1", "", header, value)
                        .statusCode());
        assertTrue(server.post("/get", "{\"id\":\"1\"}").text().contains("\"id\":\"1\""));
    }

    @Test
    void its_jobs_are_ordinary_jobs() {
        TestServer server = server(100);
        push(server, "order", "1001", 60, 45);
        JsonObject job = server.get("/v1/topics/order/jobs/1001").json();
        assertEquals("delayed", job.getString("state"));
        assertEquals("b", job.getValue("body"), "text is a JSON string to us");
        assertEquals(45_000, job.getInteger("ttr"));
        assertEquals(0, job.getJsonObject("retry").getInteger("maxAttempts"), "without limit");
        assertEquals(60_000, job.getLong("due") - job.getLong("created"));
        push(server, "关闭", "2", 60, 45);
        assertEquals(
                "delayed", server.get("/v1/topics/x:e585b3e997ad/jobs/2").json().getString("state"));
        assertEquals(
                204, server.send("DELETE", "/v1/topics/order/jobs/1001", null).status());
        assertEquals(OK, server.post("/get", "{\"id\":\"1001\"}").text());
    }

    @Test
    void a_job_comes_again_each_ttr_until_it_is_finished() {
        TestServer server = server(2_000);
        push(server, "t", "1", 1, 1);
        for (int i = 0; i < 4; i++) {
            assertEquals("1", pop(server, "t").getString("id"));
        }
        JsonArray log = server.get("/v1/topics/t/jobs/1").json().getJsonArray("log");
        assertEquals(3, log.size());
        log.stream().map(JsonObject.class::cast).forEach(attempt -> {
            assertEquals("lease-ended", attempt.getString("outcome"));
            assertTrue(attempt.getLong("end") - attempt.getLong("start") >= 1_000, attempt.encode());
        });
        assertEquals(OK, server.post("/finish", "{\"id\":\"1\"}").text());
        assertNull(pop(server, "t"));
    }

    @Test
    void of_several_topics_the_first_that_has_a_job_is_served_first() {
        TestServer server = server(1_500);
        for (String topic : List.of("low", "mid", "high")) {
            for (int i = 0; i < 3; i++) {
                push(server, topic, topic + i, 1, 600);
            }
        }
        TestRedis.await(
                "ready",
                () -> server.get("/v1/topics/low").json().getInteger("ready") == 3
                        && server.get("/v1/topics/high").json().getInteger("ready") == 3
                        && server.get("/v1/topics/mid").json().getInteger("ready") == 3);
        StringBuilder order = new StringBuilder();
        for (int i = 0; i < 9; i++) {
            order.append(pop(server, "high,mid,low").getString("id").charAt(0));
        }
        assertEquals("hhhmmmlll", order.toString());
        assertNull(pop(server, "high,mid,low"));
    }

    @Test
    void a_pop_of_several_topics_takes_one_job_and_no_attempt_of_another() throws Exception {
        TestServer server = server(10_000);
        List<CompletableFuture<Reply>> pops = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            pops.add(server.sendAsync("POST", "/pop", "{\"topic\":\"a,b,c\"}"));
        }
        for (String topic : List.of("a", "b", "c")) {
            for (int i = 0; i < 4; i++) {
                push(server, topic, topic + i, 1, 600);
            }
        }
        List<String> popped = new ArrayList<>();
        for (CompletableFuture<Reply> pop : pops) {
            popped.add(
                    pop.get(20, TimeUnit.SECONDS).json().getJsonObject("data").getString("id"));
        }
        assertEquals(4, popped.stream().distinct().count());
        TestRedis.await("the rest is ready", () -> {
            int ready = 0;
            for (String topic : List.of("a", "b", "c")) {
                ready += server.get("/v1/topics/" + topic).json().getInteger("ready");
            }
            return ready == 8;
        });
        for (String topic : List.of("a", "b", "c")) {
            for (int i = 0; i < 4; i++) {
                int attempts = server.get("/v1/topics/" + topic + "/jobs/" + topic + i)
                        .json()
                        .getInteger("attempts");
                assertEquals(popped.contains(topic + i) ? 1 : 0, attempts);
            }
        }
    }

    @Test
    void a_client_that_left_takes_no_job_with_it() throws Exception {
        TestServer server = server(20_000);
        CompletableFuture<HttpResponse<String>> gone = HttpClient.newHttpClient()
                .sendAsync(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/pop"))
                                .POST(HttpRequest.BodyPublishers.ofString("{\"topic\":\"a,b\"}"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
        TestRedis.await(
                "it waits for both",
                () -> server.get("/metrics")
                                .text()
                                .lines()
                                .filter(line -> line.startsWith("delayq_queue{") && line.contains("queue=\"polls\""))
                                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                                .sum()
                        == 2);
        gone.cancel(true);
        TestRedis.await(
                "it is gone",
                () -> server.get("/metrics")
                                .text()
                                .lines()
                                .filter(line -> line.startsWith("delayq_queue{") && line.contains("queue=\"polls\""))
                                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                                .sum()
                        == 0);
        push(server, "b", "1", 1, 600);
        assertEquals("1", pop(server, "a,b").getString("id"));
    }

    @Test
    void a_pop_under_way_is_answered_when_the_server_stops() throws Exception {
        TestServer server = server(60_000);
        CompletableFuture<Reply> pop = server.sendAsync("POST", "/pop", "{\"topic\":\"a,b\"}");
        TestRedis.await("it waits", () -> server.get("/metrics").text().contains("queue=\"polls\"} 2.0"));
        open.remove(server);
        server.close();
        assertEquals(OK, pop.get(10, TimeUnit.SECONDS).text());
    }

    @Test
    void a_task_is_a_job_with_a_callback_and_its_topic_judges_answers_as_the_original_did() throws Exception {
        TestServer server = server(100);
        long planned = System.currentTimeMillis() / 1_000 + 60;
        Forms.save(
                server,
                "notify_url=http://shop.example/close?a=1%262&method_name=post&notify_param=a%3D1%26b%3D%25&plan_time="
                        + planned);
        JsonObject job = onlyTask(server);
        assertEquals(planned * 1_000, job.getLong("due"));
        assertEquals("a=1&b=%", job.getValue("body"));
        assertEquals(
                new JsonObject()
                        .put("url", "http://shop.example/close?a=1&2")
                        .put("method", "POST")
                        .put("headers", new JsonObject().put("Content-Type", "application/x-www-form-urlencoded")),
                job.getJsonObject("callback"));
        assertEquals(
                "{\"maxAttempts\":7,\"backoff\":[5000,15000,30000,180000,3600000,7200000]}",
                job.getJsonObject("retry").encode());
        assertEquals(
                "success-true",
                server.get("/v1/topics/delay_queue_task")
                        .json()
                        .getJsonObject("settings")
                        .getJsonObject("webhook")
                        .getString("success"));
    }

    private static JsonObject onlyTask(TestServer server) {
        Reply page = server.get("/v1/topics/delay_queue_task/jobs?body=true");
        assertEquals(1, page.jobs().size(), page.text());
        return page.job(0);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "-1", "1593317127"})
    void a_task_for_the_past_runs_in_ten_seconds(String planned) throws Exception {
        TestServer server = server(100);
        Forms.save(server, "notify_url=http://shop.example/&plan_time=" + planned);
        JsonObject job = onlyTask(server);
        assertEquals(10_000, job.getLong("due") - job.getLong("created"));
        assertEquals("GET", job.getJsonObject("callback").getString("method"));
        assertEquals("", job.getValue("body"));
    }

    @Test
    void a_rule_for_success_that_was_set_is_left_alone() throws Exception {
        TestServer server = server(100);
        server.send("PUT", "/v1/topics/delay_queue_task", "{\"webhook\":{\"success\":\"2xx\"},\"keepDead\":\"1h\"}");
        Forms.save(server, "notify_url=http://shop.example/&plan_time=0");
        assertEquals(
                "{\"webhook\":{\"success\":\"2xx\"},\"keepDead\":3600000}",
                server.get("/v1/topics/delay_queue_task")
                        .json()
                        .getJsonObject("settings")
                        .encode());
    }

    @Test
    void a_task_is_called_with_its_form_and_done_when_the_answer_says_so() throws Exception {
        HttpServer shop = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
        CompletableFuture<String> called = new CompletableFuture<>();
        shop.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            byte[] answer = "{\"success\":true}".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
            called.complete(exchange.getRequestHeaders().getFirst("Content-Type") + " " + body);
        });
        shop.start();
        try {
            TestServer server = TestServer.start(set -> set.withFrontEnds(all(null, Map.of(), 100))
                    .withWebhook(new Settings.Webhook(Allowed.of("127.0.0.0/8"), 10)));
            open.add(server);
            Forms.save(
                    server,
                    "notify_url=http://127.0.0.1:" + shop.getAddress().getPort()
                            + "/&method_name=POST&notify_param=a%3D1%26b%3D%25&plan_time="
                            + (System.currentTimeMillis() / 1_000 + 2));
            assertEquals("application/x-www-form-urlencoded a=1&b=%", called.get(10, TimeUnit.SECONDS));
            TestRedis.await(
                    "it is done",
                    () -> server.get("/v1/topics/delay_queue_task/jobs").jobs().isEmpty());
        } finally {
            shop.stop(0);
        }
    }

    @Test
    void a_task_may_come_on_a_redis_list_and_a_bad_one_is_put_aside() {
        try (TestRedis redis = TestRedis.start(TestRedis.Options.standalone());
                TestServer server = TestServer.start(
                        ignored -> TestServer.settings(redis.url()).withFrontEnds(all(null, Map.of(), 100)))) {
            redis.command(
                    "RPUSH",
                    "delay_queue_task",
                    "{\"notify_url\":\"http://shop.example/close\",\"plan_time\":\"2090-01-01T08:00:00+08:00\","
                            + "\"method_name\":\"get\",\"notify_param\":\"\"}",
                    "{\"plan_time\":\"2090-01-01T08:00:00+08:00\"}");
            TestRedis.await("both are taken", () -> Long.valueOf(0).equals(redis.command("LLEN", "delay_queue_task")));
            JsonObject job = onlyTask(server);
            assertEquals(3_786_912_000_000L, job.getLong("due"));
            assertEquals(
                    "http://shop.example/close", job.getJsonObject("callback").getString("url"));
            assertEquals(
                    "success-true",
                    server.get("/v1/topics/delay_queue_task")
                            .json()
                            .getJsonObject("settings")
                            .getJsonObject("webhook")
                            .getString("success"));
            Object bad = redis.command("LPOP", "delay_queue_task:bad");
            assertTrue(bad.toString().contains("通知地址参数必须"), bad.toString());
        }
    }

    @Test
    void ids_in_the_pool_of_delayer_become_ready_when_they_are_due() {
        try (TestRedis redis = TestRedis.start(TestRedis.Options.standalone());
                TestServer server = TestServer.start(
                        ignored -> TestServer.settings(redis.url()).withFrontEnds(all(null, Map.of(), 100)))) {
            redis.command("HMSET", "delayer:job_bucket:a1", "topic", "sms", "body", "hello");
            redis.command("ZADD", "delayer:job_pool", Long.toString(System.currentTimeMillis() / 1_000), "a1");
            TestRedis.await(
                    "it is ready", () -> Long.valueOf(1).equals(redis.command("LLEN", "delayer:ready_queue:sms")));
            assertEquals("a1", redis.command("RPOP", "delayer:ready_queue:sms"));
            assertEquals(404, server.get("/v1/topics/sms").status());
        }
    }

    @Test
    void an_address_inside_is_not_called() throws Exception {
        InetAddress inside = InetAddress.getByName("10.0.0.1");
        TestServer server = TestServer.start(
                set -> set.withFrontEnds(all(null, Map.of(), 100)), name -> Future.succeededFuture(List.of(inside)));
        open.add(server);
        for (String url : List.of("http://127.0.0.1/", "http://localhost/", "http://inside.example/")) {
            String saved = Forms.save(server, "notify_url=" + url + "&plan_time=0");
            assertTrue(saved.contains("\"no\"") && saved.contains("on the public internet"), saved);
            String added = server.post(
                            "/delayq/job/add", "{\"jobid\":\"1\",\"topic\":\"push_url\",\"data\":\"" + url + "\"}")
                    .text();
            assertTrue(added.contains("\"1\"") && added.contains("on the public internet"), added);
        }
        assertEquals(404, server.get("/v1/topics/push_url/jobs/1").status());
    }

    @Test
    void a_push_url_job_is_a_callback_with_five_tries() {
        TestServer server = server(100);
        server.post(
                "/delayq/job/add",
                "{\"jobid\":\"1\",\"topic\":\"push_url\",\"data\":\"http://shop.example/?q=中 文\",\"exectime\":3000000000}");
        JsonObject job = server.get("/v1/topics/push_url/jobs/1").json();
        assertEquals("GET", job.getJsonObject("callback").getString("method"));
        assertEquals(
                "http://shop.example/?q=%E4%B8%AD%20%E6%96%87",
                job.getJsonObject("callback").getString("url"));
        assertEquals(
                "{\"maxAttempts\":5,\"backoff\":[30000,60000,90000,120000]}",
                job.getJsonObject("retry").encode());
        assertEquals(3_000_000_000_000L, job.getLong("due"));
        assertFalse(server.post("/delayq/job/pop", "{\"topic\":\"push_url\"}")
                .text()
                .contains("shop"));
    }

    @Test
    void a_server_without_the_role_says_who_has_jobs() {
        TestServer server = TestServer.start(set -> new Settings(
                        set.http(),
                        set.dataDir(),
                        set.redis(),
                        set.namespace(),
                        set.buckets(),
                        new Settings.Instances(1, 1, 0, 0, 0),
                        set.tokens(),
                        set.insecure())
                .withFrontEnds(all(null, Map.of(), 100)));
        open.add(server);
        push(server, "t", "1", 1, 60);
        assertEquals(
                "{\"code\":1,\"message\":\"this server does not have the role dispatcher; ask one that has, see /v1/servers\",\"data\":null}",
                server.post("/pop", "{\"topic\":\"t\"}").text());
    }

    @Test
    void a_body_that_came_in_another_way_is_given_as_it_is() {
        TestServer server = server(3_000);
        server.push("t", "{\"id\":\"1\",\"body\":{\"a\": [1, \"x\"]}}");
        assertEquals("{\"a\": [1, \"x\"]}", pop(server, "t").getString("body"));
    }
}
