package io.delayq.redis;

import io.delayq.ops.Meters;
import io.vertx.core.Future;
import io.vertx.redis.client.Response;
import java.math.BigInteger;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Calls scripts under a random name of its own and numbers its calls, so that one whose answer was lost can be sent
 * again: the script keeps the number and answer of a caller's last call. For that a caller has at most one call of a
 * numbered kind under way in a bucket; whoever uses it sees to that.
 */
final class Caller {
    private static final SecureRandom random = new SecureRandom();

    private final Link link;
    private final Keys keys;
    private final Meters meters;
    private final String name = randomText(6);
    private final byte[] channel;
    private final long[][] numbers;
    private final List<List<byte[]>> bucketKeys = new ArrayList<>();
    private final List<List<byte[]>> lastKeys = new ArrayList<>();

    Caller(Link link, Keys keys, Meters meters) {
        this.link = link;
        this.keys = keys;
        this.meters = meters;
        this.channel = Bytes.of(keys.hints());
        this.numbers = new long[Script.values().length][keys.buckets()];
        for (int bucket = 0; bucket < keys.buckets(); bucket++) {
            List<byte[]> list = new ArrayList<>();
            for (String key : keys.ofBucket(bucket)) {
                list.add(Bytes.of(key));
            }
            bucketKeys.add(list);
            lastKeys.add(link.slotsMove() ? List.of(Bytes.of(keys.nowhere(bucket))) : List.of());
        }
    }

    String name() {
        return name;
    }

    /** Text of so many random bytes: letters and digits only, so that it is one word in a URL, a shell or a key. */
    static String randomText(int bytes) {
        byte[] drawn = new byte[bytes];
        random.nextBytes(drawn);
        return new BigInteger(1, drawn).toString(Character.MAX_RADIX);
    }

    /**
     * The script's arguments are the channel, the bucket, the number if it is numbered, then {@code args}.
     *
     * @param jobs how many jobs the answer is about
     */
    Future<Response> call(
            Script script, int bucket, List<byte[]> args, ToIntFunction<Response> jobs, long deadlineMillis) {
        List<byte[]> all = new ArrayList<>(args.size() + 10);
        List<byte[]> last = lastKeys.get(bucket);
        all.add(Bytes.of((script.numbered() ? 5 : 4) + last.size()));
        all.addAll(bucketKeys.get(bucket));
        if (script.numbered()) {
            all.add(Bytes.of(keys.call(bucket, name, script.word())));
        }
        all.addAll(last);
        all.add(channel);
        all.add(Bytes.of(bucket));
        if (script.numbered()) {
            all.add(Bytes.of(++numbers[script.ordinal()][bucket]));
        }
        all.addAll(args);
        long started = System.nanoTime();
        return link.call(bucket, script, all, deadlineMillis)
                .onSuccess(answer ->
                        meters.redisCall(script.word(), System.nanoTime() - started, jobs.applyAsInt(answer)));
    }
}
