package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.redis.Keys;
import io.delayq.redis.TestRedis;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server that is not stopped, but cut off from Redis, while its data are moved to another number of buckets. */
@Tag("fault")
class RebucketFaultTest {
    @TempDir
    Path dir;

    @Test
    void a_server_that_was_cut_off_while_the_data_were_moved_ends() throws Exception {
        try (TestRedis redis = TestRedis.start(TestRedis.Options.standalone());
                ChildServer server = ChildServer.start(dir, "--redis.url=" + redis.url())) {
            server.push("t", "{\"delay\":\"1h\"}");
            redis.command("HSET", new Keys("dq", 4).meta(), "buckets", "16");
            redis.command("CLIENT", "KILL", "TYPE", "pubsub");
            assertEquals(1, server.exitCode(Duration.ofSeconds(15)));
            assertTrue(server.log().contains("stops by itself: buckets is 4, but the data"), server.log());
        }
    }
}
