package io.delayq.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.redis.TestCluster;
import io.delayq.redis.TestRedis;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Doctor looks at every master of a cluster. */
class ClusterDoctorTest {
    @Test
    void doctor_looks_at_every_master_and_tells_of_one_that_is_away() {
        try (TestCluster cluster = TestCluster.start(3, 0)) {
            Map<String, String> env =
                    Map.of("DELAYQ_HTTP_PORT", "1", "DELAYQ_REDIS_MODE", "cluster", "DELAYQ_REDIS_URL", cluster.url());
            CliTestBase.Said said = CliTestBase.run(env, "", "doctor");
            assertEquals(0, said.code(), said.out());
            assertTrue(said.out().contains("redis cluster  3 masters"), said.out());
            for (TestRedis master : cluster.masters()) {
                assertTrue(said.out().contains("127.0.0.1:" + master.port() + ": append-only file"), said.out());
            }
            TestRedis victim = cluster.nodes().get(0);
            victim.kill();
            said = CliTestBase.run(env, "", "doctor");
            assertEquals(1, said.code(), said.out());
            assertTrue(said.out().contains("127.0.0.1:" + victim.port() + " does not answer"), said.out());
        }
    }
}
