package io.delayq.compat;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Allowed;
import io.delayq.config.Compat;
import io.delayq.config.Settings;
import io.delayq.config.Settings.FrontEnds;
import io.delayq.path.TestServer;
import io.delayq.redis.TestRedis;
import java.util.EnumSet;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The originals' contracts, byte for byte; the bytes are in {@code src/test/resources/compat}. */
class ContractTest {
    private static final long HOLD_MILLIS = 2_000;

    /** @param least exchanges, so that none is lost from a file unseen */
    @ParameterizedTest
    @CsvSource({"c1.txt, 50", "c2.txt, 40", "c3.txt, 27", "c4.txt, 45", "c5.txt, 24"})
    void answers_what_the_original_answered(String file, int least) throws Exception {
        try (Called called = new Called();
                TestRedis redis = TestRedis.start(TestRedis.Options.standalone());
                TestServer server = TestServer.start(set -> TestServer.settings(redis.url())
                        .withFrontEnds(new FrontEnds(EnumSet.allOf(Compat.class), null, Map.of(), HOLD_MILLIS))
                        .withWebhook(new Settings.Webhook(Allowed.of("127.0.0.0/8"), 10)))) {
            int count = new Replay(server, redis, called).run(file);
            assertTrue(count >= least, () -> count + " exchanges in " + file);
        }
    }
}
