package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.Alone;
import io.delayq.SideBySide;
import io.delayq.config.Settings;
import io.delayq.config.Settings.Durability;
import io.delayq.path.TestServer;
import io.delayq.path.TestServer.Reply;
import io.delayq.path.WsConsumer;
import io.delayq.redis.Keys;
import io.delayq.redis.TestCluster;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Servers on a cluster of three masters and three replicas, of which some die, and whose slots move under load. */
@Tag("fault")
class ClusterFaultTest {
    private static final int BUCKETS = 12;
    private static final Set<Integer> ALL = IntStream.range(0, BUCKETS).boxed().collect(Collectors.toSet());
    private static final BlockingQueue<TestCluster> CLUSTERS = new LinkedBlockingQueue<>();

    private TestCluster cluster;
    private final List<TestServer> servers = new ArrayList<>();
    private final List<WsConsumer> consumers = new ArrayList<>();

    /** One for each of two tests side by side. */
    @BeforeAll
    static void startClusters() {
        CompletableFuture<TestCluster> other = CompletableFuture.supplyAsync(TestCluster::start);
        CLUSTERS.add(TestCluster.start());
        CLUSTERS.add(other.join());
    }

    @AfterAll
    static void stopClusters() {
        CLUSTERS.forEach(TestCluster::close);
        CLUSTERS.clear();
    }

    @BeforeEach
    void take() throws InterruptedException {
        cluster = CLUSTERS.poll(1, TimeUnit.MINUTES);
    }

    @AfterEach
    void mend() {
        try {
            consumers.forEach(WsConsumer::close);
            servers.forEach(TestServer::close);
            for (TestRedis node : cluster.nodes()) {
                if (!node.isRunning()) {
                    node.restart();
                }
            }
            cluster.awaitWhole();
        } finally {
            CLUSTERS.add(cluster);
        }
    }

    private TestServer serve() {
        return serve(Durability.EVERYSEC);
    }

    private TestServer serve(Durability durability) {
        TestServer server = TestServer.start(
                settings -> servers.isEmpty() ? clustered(settings, durability) : servers.get(0).settings);
        servers.add(server);
        return server;
    }

    private Settings clustered(Settings settings, Durability durability) {
        return new Settings(
                settings.http(),
                settings.dataDir(),
                cluster.settings().withDurability(durability),
                settings.namespace(),
                BUCKETS,
                settings.instances(),
                settings.tokens(),
                settings.insecure());
    }

    /** The slot of a bucket. */
    private int slot(int bucket) {
        return TestCluster.slotOf(servers.get(0).settings.namespace(), bucket, BUCKETS);
    }

    private Set<Integer> bucketsOf(TestRedis master) {
        return IntStream.range(0, BUCKETS)
                .filter(bucket -> cluster.masterOf(slot(bucket)) == master)
                .boxed()
                .collect(Collectors.toSet());
    }

    private static Set<Integer> others(Set<Integer> buckets) {
        Set<Integer> others = new HashSet<>(ALL);
        others.removeAll(buckets);
        return others;
    }

    /** Pushes a job into each of the buckets, ready at once. Returns how many. */
    private static int pushOne(TestServer server, String topic, Set<Integer> buckets) {
        Keys keys = new Keys(server.settings.namespace(), BUCKETS);
        Set<Integer> left = new HashSet<>(buckets);
        for (int i = 0; !left.isEmpty(); i++) {
            if (left.remove(keys.bucketOf("p" + i))) {
                server.push(topic, "{\"id\":\"p" + i + "\"}");
            }
        }
        return buckets.size();
    }

    private static long millisSince(long nanos) {
        return (System.nanoTime() - nanos) / 1_000_000;
    }

    private static void pass(long millis) {
        long until = System.nanoTime() + millis * 1_000_000;
        TestRedis.await("time passing", () -> System.nanoTime() > until);
    }

    private static void goesOn(ClusterLoad load, Set<Integer> buckets, Duration limit, String what) {
        long from = System.nanoTime();
        TestRedis.await(what, limit, () -> buckets.stream().allMatch(bucket -> load.lastAccepted(bucket) > from));
    }

    private void drained(ClusterLoad load) {
        load.end();
        TestRedis.await(
                "all delivered", Duration.ofSeconds(15), () -> load.lost().isEmpty());
        TestRedis.await("all acked", () -> {
            JsonObject counts =
                    servers.get(0).get("/v1/topics/" + ClusterLoad.TOPIC).json();
            return counts.getInteger("reserved") + counts.getInteger("ready") + counts.getInteger("delayed") == 0;
        });
    }

    @Test
    @SideBySide
    void a_replica_that_dies_is_not_noticed_by_anyone() {
        TestServer server = serve();
        try (ClusterLoad load = new ClusterLoad(server, servers).begin()) {
            goesOn(load, ALL, Duration.ofSeconds(5), "pushes into all buckets");
            for (TestRedis master : cluster.masters()) {
                cluster.replicaOf(master).kill();
                goesOn(load, ALL, Duration.ofSeconds(2), "pushes into all buckets");
            }
            pass(1_500);
            goesOn(load, ALL, Duration.ofSeconds(2), "pushes into all buckets");
            drained(load);
            System.out.println("all replicas killed: " + load.summary());
            assertEquals(List.of(), List.copyOf(load.refusals));
            assertEquals(Map.of(), load.twice());
        }
    }

    @Test
    @SideBySide
    void a_master_that_dies_fails_its_own_buckets_only_until_its_replica_takes_over() {
        mastersDie(1);
    }

    @Test
    @Tag("storm")
    void masters_that_die_one_after_the_other_fail_their_own_buckets_only() {
        mastersDie(12);
    }

    private void mastersDie(int deaths) {
        TestServer server = serve();
        try (ClusterLoad load = new ClusterLoad(server, servers).begin()) {
            for (int i = 0; i < deaths; i++) {
                cluster.awaitWhole();
                goesOn(load, ALL, Duration.ofSeconds(5), "pushes into all buckets");
                TestRedis victim = cluster.masterOf(slot(i % BUCKETS));
                masterDies(victim, server, load);
                victim.restart();
            }
        }
    }

    private void masterDies(TestRedis victim, TestServer server, ClusterLoad load) {
        Set<Integer> its = bucketsOf(victim);
        int slot = slot(its.iterator().next());
        String polled = "polled" + victim.pid();
        int there = pushOne(server, polled, others(its));
        load.refusals.clear();
        victim.kill();
        long killed = System.nanoTime();
        int got = server.reserve(polled, 100, "1s").jobs().size();
        long gotMillis = millisSince(killed);
        // ids that we draw ourselves go where they can be stored
        List<Reply> drawn = new ArrayList<>();
        while (millisSince(killed) < 1_500) {
            drawn.add(server.post("/v1/topics/drawn/jobs", "{}"));
        }
        TestRedis.await("a replica promoted", () -> cluster.masterOf(slot) != victim);
        long promoted = System.nanoTime();
        goesOn(load, its, Duration.ofSeconds(5), "pushes into the buckets of the dead one");
        System.out.printf(
                "master killed: replica in its place after %d ms, its %d buckets back %d ms later; %s%n",
                (promoted - killed) / 1_000_000, its.size(), millisSince(promoted), load.summary());
        List<ClusterLoad.Refusal> refusals = List.copyOf(load.refusals);
        List<ClusterLoad.Refusal> others =
                refusals.stream().filter(one -> !its.contains(one.bucket())).toList();
        List<String> refused = drawn.stream()
                .filter(reply -> reply.status() != 201)
                .map(Reply::text)
                .toList();
        assertAll(
                () -> assertEquals(there, got, "what the living have"),
                () -> assertTrue(gotMillis < 900, "it came after " + gotMillis + " ms"),
                () -> assertEquals(List.of(), others, "errors on other nodes' buckets"),
                () -> assertTrue(
                        refusals.stream().allMatch(one -> one.answer().startsWith("503") && one.millis() < 2_000),
                        refusals::toString),
                () -> assertEquals(List.of(), refused, "drawn ids"));
    }

    @Test
    @SideBySide
    void a_write_that_must_be_on_a_replica_is_refused_by_the_node_that_has_none() {
        TestServer server = serve(Durability.replicas(1));
        pushOne(server, "replicated", ALL);
        TestRedis master = cluster.masterOf(slot(0));
        Set<Integer> its = bucketsOf(master);
        TestRedis replica = cluster.replicaOf(master);
        replica.kill();
        pushOne(server, "others", others(its));
        String job = "{\"id\":\"" + idIn(server, its.iterator().next()) + "\"}";
        Reply refused = server.post("/v1/topics/alone/jobs", job);
        assertEquals("/problems/not-replicated", refused.type(), refused.text());
        replica.restart();
        cluster.awaitWhole();
        Reply again = server.post("/v1/topics/alone/jobs", job);
        assertEquals("/problems/job-exists", again.type(), again.text());
    }

    @Test
    @SideBySide
    void a_master_that_dies_takes_nothing_along_that_must_be_on_a_replica() {
        TestServer server = serve(Durability.replicas(1));
        try (ClusterLoad load = new ClusterLoad(server, servers).begin()) {
            goesOn(load, ALL, Duration.ofSeconds(5), "pushes into all buckets");
            TestRedis victim = cluster.masterOf(slot(0));
            Set<Integer> its = bucketsOf(victim);
            victim.kill();
            TestRedis.await("a replica promoted", () -> cluster.masterOf(slot(0)) != victim);
            goesOn(load, others(its), Duration.ofSeconds(2), "pushes into the others' buckets");
            victim.restart();
            cluster.awaitWhole();
            goesOn(load, ALL, Duration.ofSeconds(5), "pushes into all buckets");
            load.end();
            TestRedis.await(
                    "all delivered", Duration.ofSeconds(15), () -> load.lost().isEmpty());
            System.out.println("master killed, durability replicas:1: " + load.summary());
            assertTrue(load.refusals.stream().allMatch(one -> its.contains(one.bucket())), load.refusals::toString);
        }
    }

    private static String idIn(TestServer server, int bucket) {
        Keys keys = new Keys(server.settings.namespace(), BUCKETS);
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "i" + i)
                .filter(id -> keys.bucketOf(id) == bucket)
                .findFirst()
                .orElseThrow();
    }

    @Test
    @SideBySide
    void a_master_restarted_at_the_same_address_is_used_again_within_two_seconds() {
        TestServer server = serve();
        try (ClusterLoad load = new ClusterLoad(server, servers).begin()) {
            goesOn(load, ALL, Duration.ofSeconds(5), "pushes into all buckets");
            TestRedis victim = cluster.masterOf(slot(0));
            Set<Integer> its = bucketsOf(victim);
            // so that nobody takes its place
            cluster.replicaOf(victim).kill();
            victim.kill();
            pass(1_500);
            goesOn(load, others(its), Duration.ofSeconds(1), "pushes into the others' buckets");
            victim.restart();
            TestRedis.await(
                    "the node serves",
                    () -> victim.command("CLUSTER", "INFO").toString().contains("cluster_state:ok"));
            long serves = System.nanoTime();
            goesOn(load, its, Duration.ofSeconds(2), "pushes into the buckets of the restarted one");
            System.out.printf(
                    "master restarted: used again %d ms after it serves; ", (System.nanoTime() - serves) / 1_000_000);
            load.end();
            TestRedis.await(
                    "all delivered", Duration.ofSeconds(15), () -> load.lost().size() <= lostByCrash(load, its));
            System.out.println(load.summary());
            assertTrue(
                    load.refusals.stream().allMatch(refusal -> its.contains(refusal.bucket())),
                    load.refusals::toString);
        }
    }

    /** What the node's own last second of AOF may have cost: nothing that went elsewhere. */
    private static long lostByCrash(ClusterLoad load, Set<Integer> its) {
        return load.lost().stream()
                .filter(id -> its.contains(load.bucketOf(id)))
                .count();
    }

    @Test
    @SideBySide
    void slots_that_move_to_and_fro_under_load_lose_nothing_and_deliver_nothing_twice() {
        moveUnderLoad(6);
    }

    @Test
    @Tag("storm")
    void slots_that_move_to_and_fro_under_load_for_long() {
        moveUnderLoad(150);
    }

    private void moveUnderLoad(int moves) {
        TestServer server = serve();
        serve();
        try (ClusterLoad load = new ClusterLoad(server, servers).begin()) {
            goesOn(load, ALL, Duration.ofSeconds(5), "pushes into all buckets");
            for (int i = 0; i < moves; i++) {
                int slot = slot(i / 2 % BUCKETS);
                TestRedis from = cluster.masterOf(slot);
                List<TestRedis> masters = cluster.masters();
                TestRedis to = masters.get((masters.indexOf(from) + 1 + i / 2 % 2) % masters.size());
                TestCluster.Move move = cluster.move(slot, to);
                for (int step = 0; step < 5 && move.step(2); step++) {
                    pass(20);
                }
                move.finish();
                goesOn(load, ALL, Duration.ofSeconds(3), "pushes into all buckets after move " + i);
            }
            drained(load);
            System.out.println(moves + " slots moved under load: " + load.summary());
            assertEquals(Map.of(), load.twice());
            assertEquals(List.of(), List.copyOf(load.refusals));
        }
    }

    @Test
    @Alone
    void a_job_pushed_on_one_server_comes_to_a_consumer_on_another_at_once_whichever_node_told_of_it() {
        serve();
        serve();
        Map<String, Long> arrived = new ConcurrentHashMap<>();
        long worst = 0;
        consumers.add(new WsConsumer(
                servers.get(1).vertx,
                servers.get(1).port(),
                "hinted",
                10,
                jobs -> jobs.forEach(job -> arrived.put(((JsonObject) job).getString("id"), System.nanoTime()))));
        for (int i = 0; i < 3 * BUCKETS; i++) {
            if (i == BUCKETS) {
                cluster.nodes().forEach(node -> node.command("CLIENT", "KILL", "TYPE", "pubsub"));
                pass(500);
            }
            String id = "h" + i;
            long pushed = System.nanoTime();
            servers.get(0).push("hinted", "{\"id\":\"" + id + "\"}");
            TestRedis.await("it arrived", () -> arrived.containsKey(id));
            worst = Math.max(worst, (arrived.get(id) - pushed) / 1_000_000);
        }
        System.out.println("pushed on one server, delivered by another: after at most " + worst + " ms");
        assertTrue(worst < 500, worst + " ms");
    }

    @Test
    @Alone
    void four_servers_drain_a_topic_together_and_each_job_once() {
        int jobs = 6_000;
        for (int i = 0; i < 4; i++) {
            serve();
        }
        Map<String, Integer> delivered = new ConcurrentHashMap<>();
        List<AtomicInteger> shares = new ArrayList<>();
        for (TestServer server : servers) {
            AtomicInteger share = new AtomicInteger();
            shares.add(share);
            consumers.add(new WsConsumer(server.vertx, server.port(), "drained", 50, batch -> {
                share.addAndGet(batch.size());
                batch.forEach(job -> delivered.merge(((JsonObject) job).getString("id"), 1, Integer::sum));
            }));
        }
        for (int from = 0; from < jobs; from += 1_000) {
            JsonArray batch = new JsonArray();
            for (int i = from; i < from + 1_000; i++) {
                batch.add(new JsonObject()
                        .put("topic", "drained")
                        .put("id", "j" + i)
                        .put("delay", 300));
            }
            TestServer at = servers.get(from / 1_000 % 4);
            assertEquals(1_000, at.post("/v1/jobs", batch.encode()).json().getInteger("accepted"));
        }
        TestRedis.await("all delivered", () -> delivered.size() == jobs);
        TestRedis.await(
                "all acked",
                () -> servers.get(0).get("/v1/topics/drained").json().getInteger("reserved") == 0);
        System.out.println("four servers, each server's share of " + jobs + ": " + shares);
        assertTrue(delivered.values().stream().allMatch(times -> times == 1), "a job came twice");
        assertTrue(shares.stream().allMatch(share -> share.get() > jobs / 20), shares.toString());
    }
}
