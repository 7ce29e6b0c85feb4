package io.delayq.redis;

import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import java.util.Locale;

/** How far a rebucket has come, as {@code meta} has it while one is under way: {@code 4 16 move}. */
record RebucketState(int from, int to, Phase phase) {
    static final String FIELD = "rebucket";

    enum Phase {
        /** The old buckets' topics are set aside, so that old and new keys are different ones. */
        ASIDE,
        /** The new buckets get topics and settings. */
        SETTINGS,
        /** Jobs go from what was set aside to the new buckets. */
        MOVE
    }

    /** @param text empty: none is under way, and the answer null */
    static RebucketState parse(String text) {
        if (text.isEmpty()) {
            return null;
        }
        String[] parts = text.split(" ");
        return new RebucketState(
                Integer.parseInt(parts[0]),
                Integer.parseInt(parts[1]),
                Phase.valueOf(parts[2].toUpperCase(Locale.ROOT)));
    }

    String text() {
        return from + " " + to + " " + phase.name().toLowerCase(Locale.ROOT);
    }

    RebucketState in(Phase next) {
        return new RebucketState(from, to, next);
    }

    IllegalStateException underWay() {
        return new StartCheck.OtherBuckets("a rebucket from " + from + " to " + to
                + " is under way; run delayq rebucket --to " + to + " to finish it");
    }

    /** For a server that is about to start. */
    static Future<Void> refuseIfUnderWay(RedisConnection connection, Keys keys) {
        return connection
                .send(Request.cmd(Command.HGET).arg(keys.meta()).arg(FIELD))
                .map(found -> {
                    RebucketState state = found == null ? null : parse(found.toString());
                    if (state != null) {
                        throw state.underWay();
                    }
                    return null;
                });
    }
}
