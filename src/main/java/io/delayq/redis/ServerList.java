package io.delayq.redis;

import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.redis.client.Response;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** The servers that live, by their heartbeats in Redis and by its clock. They are kept in bucket 0. */
public final class ServerList {
    /** How often a server beats. */
    public static final long BEAT_MILLIS = 500;
    /** One that was not heard of for so long is dead, and found so by the next beat of any other. */
    public static final long SILENCE_MILLIS = 4 * BEAT_MILLIS;

    private static final int BUCKET = 0;
    private static final long LEAVE_MILLIS = 500;

    private final Caller caller;
    private final long deadlineMillis;

    /**
     * A server that lives.
     *
     * @param roles what it runs
     * @param address where it listens
     * @param started when it started, by Redis' clock; 0: not known yet
     * @param heard when it was last heard of, likewise
     * @param said what it tells of its work, see {@code bus.Said}; empty: nothing
     */
    public record Member(
            String id, List<String> roles, String address, String version, long started, long heard, String said) {
        public Member {
            roles = List.copyOf(roles);
        }

        public Member(String id, List<String> roles, String address, String version, long started, long heard) {
            this(id, roles, address, version, started, heard, "");
        }

        public Member saying(String text) {
            return new Member(id, roles, address, version, started, heard, text);
        }

        private String about() {
            return String.join(",", roles) + " " + address + " " + version + (said.isEmpty() ? "" : "\n" + said);
        }

        private static Member read(Response answer, int at) {
            String[] lines = answer.get(at + 1).toString().split("\n", 2);
            String[] about = lines[0].split(" ", 3);
            return new Member(
                    answer.get(at).toString(),
                    about[0].isEmpty() ? List.of() : List.of(about[0].split(",")),
                    about[1],
                    about[2],
                    answer.get(at + 2).toLong(),
                    answer.get(at + 3).toLong(),
                    lines.length > 1 ? lines[1] : "");
        }
    }

    ServerList(Caller caller, long deadlineMillis) {
        this.caller = caller;
        this.deadlineMillis = deadlineMillis;
    }

    /** Says that a server lives; what is there then includes it. */
    public Future<List<Member>> beat(Member self) {
        return call(self.id, self.about(), self.started, deadlineMillis);
    }

    /** Takes a server out at once. */
    public Future<Void> leave(String id) {
        return call(id, "", 0, Math.min(LEAVE_MILLIS, deadlineMillis)).mapEmpty();
    }

    public Future<List<Member>> all() {
        return call("", "", 0, deadlineMillis);
    }

    /** How all servers did, a text for each step of time, oldest first. */
    public Future<List<Buffer>> history(long stepMillis, int steps) {
        return history("", stepMillis, steps).map(answer -> IntStream.range(1, answer.size())
                .mapToObj(i -> answer.get(i).toBuffer())
                .toList());
    }

    /** Adds the text of this step, unless another server has done so. */
    public Future<Void> remember(Buffer text, long stepMillis, int steps) {
        return history(text.toString(StandardCharsets.UTF_8), stepMillis, steps).mapEmpty();
    }

    private Future<Response> history(String text, long stepMillis, int steps) {
        List<byte[]> args = List.of(Bytes.of(text), Bytes.of(stepMillis), Bytes.of(steps));
        return caller.call(Script.HISTORY, BUCKET, args, answer -> 0, deadlineMillis);
    }

    private Future<List<Member>> call(String id, String about, long started, long within) {
        List<byte[]> args = List.of(Bytes.of(id), Bytes.of(about), Bytes.of(started), Bytes.of(SILENCE_MILLIS));
        return caller.call(Script.BEAT, BUCKET, args, answer -> 0, within).map(answer -> {
            List<Member> all = new ArrayList<>();
            for (int at = 1; at < answer.size(); at += 4) {
                all.add(Member.read(answer, at));
            }
            return all;
        });
    }
}
