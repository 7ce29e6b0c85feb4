package io.delayq.path;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.delayq.config.Settings;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** More acks at once than the store takes wait for their turn: what was handed out can be settled. */
class AckBurstPathTest {
    private static final int CLIENTS = 20;
    private static final int PREFETCH = 100;
    private static final int QUEUE = 500;

    @Test
    void acks_that_come_all_at_once_are_all_taken() {
        try (TestServer server = TestServer.start(AckBurstPathTest::withShortQueue)) {
            List<GenericClient> clients = ackAll(server);
            for (GenericClient client : clients) {
                assertEquals(PREFETCH, client.expect("acked").getInteger("acked"));
                client.close();
            }
        }
    }

    @Test
    void acks_of_clients_that_leave_at_once_are_taken_too() {
        try (TestServer server = TestServer.start(AckBurstPathTest::withShortQueue)) {
            ackAll(server).forEach(GenericClient::close);
            TestRedis.await(
                    "that nothing is reserved",
                    () -> server.get("/v1/topics/burst").json().getInteger("reserved") == 0);
            JsonObject left = server.get("/v1/topics/burst").json();
            assertEquals(0, left.getInteger("ready") + left.getInteger("delayed"), left::encode);
        }
    }

    private static List<GenericClient> ackAll(TestServer server) {
        List<GenericClient> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(GenericClient.connect(server).subscribe("burst", PREFETCH));
        }
        for (int i = 0; i < CLIENTS; i++) {
            push(server, PREFETCH);
        }
        List<List<JsonObject>> held =
                clients.stream().map(client -> client.jobs(PREFETCH)).toList();
        for (int i = 0; i < CLIENTS; i++) {
            clients.get(i).send(GenericClient.settling("ack", "burst", held.get(i), "r"));
        }
        return clients;
    }

    private static Settings withShortQueue(Settings set) {
        Settings.Redis redis = set.redis();
        return set.withRedis(new Settings.Redis(
                redis.url(),
                redis.deadlineMillis(),
                redis.tryMillis(),
                QUEUE,
                redis.ca(),
                redis.program(),
                redis.topology(),
                redis.durability(),
                redis.allowEviction()));
    }

    private static void push(TestServer server, int count) {
        JsonArray jobs = new JsonArray();
        for (int i = 0; i < count; i++) {
            jobs.add(new JsonObject().put("topic", "burst"));
        }
        assertEquals(count, server.post("/v1/jobs", jobs.encode()).json().getInteger("accepted"));
    }
}
