package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.delayq.job.When;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A store on a cluster of three masters, whose slots move. */
class ClusterRedisTest {
    private static final int BUCKETS = 6;
    private static TestCluster cluster;

    @BeforeAll
    static void start() {
        cluster = TestCluster.start(3, 0);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void jobs_live_in_the_buckets_of_all_nodes() {
        try (StoreHarness store = new StoreHarness(cluster, BUCKETS)) {
            for (int i = 0; i < 60; i++) {
                int number = i;
                store.call(s -> s.push(StoreHarness.job("t", "j" + number, When.NOW)));
            }
            for (TestRedis node : cluster.masters()) {
                assertEquals(
                        2, ((List<?>) node.command("KEYS", "{" + store.namespace + "*}:jobs:t")).size(), node.url());
            }
            assertEquals(60, store.reserve("t", 100).size());
            new Recount(store).check(List.of("t"));
        }
    }
}
