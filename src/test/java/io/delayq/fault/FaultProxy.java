package io.delayq.fault;

import io.delayq.redis.ScriptSha;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stands between a server and its Redis on loopback and does to the connection what networks do. Answers are lost after
 * the command ran: the command goes through, its answer does not, and the connection is closed.
 */
public final class FaultProxy implements AutoCloseable {
    private final Vertx vertx = Vertx.vertx();
    private final NetServer server;
    private final NetClient client;
    private final int target;
    private final Random random;
    private final Set<NetSocket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger lost = new AtomicInteger();
    private final StringBuffer swallowed = new StringBuffer();
    private volatile Trap trap;
    private volatile double loss;
    private volatile boolean blackhole;
    private volatile boolean hintsLost;

    /** When in a call its connection falls silent. */
    public enum Moment {
        BEFORE_IT_RUNS,
        AFTER_IT_RAN
    }

    private record Trap(String sha, Moment moment, CompletableFuture<Void> sprung) {}

    public FaultProxy(int target, long seed) {
        this.target = target;
        this.random = new Random(seed);
        this.client = vertx.createNetClient();
        this.server = vertx.createNetServer().connectHandler(this::connected);
        await(server.listen(0, "127.0.0.1"));
    }

    public String url() {
        return "redis://127.0.0.1:" + server.actualPort();
    }

    public int port() {
        return server.actualPort();
    }

    /**
     * From now on every connection that calls the script falls silent, and is not closed. Done when one has.
     *
     * @param script one that Redis knows already, else it would be asked for by its text
     */
    public CompletableFuture<Void> trap(String script, Moment moment) {
        trap = new Trap(ScriptSha.of(script), moment, new CompletableFuture<>());
        return trap.sprung;
    }

    /** From now on this share of the answers is lost, and their connections with them. */
    public void loseAnswers(double share) {
        loss = share;
    }

    /** How many answers were lost. */
    public int lost() {
        return lost.get();
    }

    /** From now on nothing comes through in either direction, and nothing is closed. */
    public void blackhole(boolean on) {
        blackhole = on;
    }

    /** From now on nobody gets what was published. */
    public void loseHints() {
        hintsLost = true;
    }

    /** What was sent to Redis and did not come through. */
    public String swallowed() {
        return swallowed.toString();
    }

    public int connections() {
        return open.size();
    }

    /** Closes every connection now. */
    public void cut() {
        open.forEach(NetSocket::close);
    }

    @Override
    public void close() {
        await(vertx.close());
    }

    private void connected(NetSocket near) {
        near.pause();
        client.connect(target, "127.0.0.1").onFailure(error -> near.close()).onSuccess(far -> {
            open.add(near);
            new Line(near, far).open();
        });
    }

    /** One connection, on one event loop. */
    private final class Line {
        private final NetSocket near;
        private final NetSocket far;
        private Moment silent;

        Line(NetSocket near, NetSocket far) {
            this.near = near;
            this.far = far;
        }

        void open() {
            near.handler(this::asked);
            far.handler(this::answered);
            near.closeHandler(closed -> {
                open.remove(near);
                far.close();
            });
            far.closeHandler(closed -> near.close());
            near.resume();
        }

        private void asked(Buffer bytes) {
            Trap set = trap;
            boolean caught = set != null
                    && silent == null
                    && bytes.toString(StandardCharsets.ISO_8859_1).contains(set.sha);
            if (caught) {
                silent = set.moment;
            }
            if (!blackhole && silent != Moment.BEFORE_IT_RUNS) {
                far.write(bytes);
            } else {
                swallowed.append(bytes.toString(StandardCharsets.ISO_8859_1));
            }
            if (caught && silent == Moment.BEFORE_IT_RUNS) {
                set.sprung.complete(null);
            }
        }

        private void answered(Buffer bytes) {
            if (silent != null) {
                // an answer shows that it ran
                trap.sprung.complete(null);
            } else if (!blackhole && random.nextDouble() < loss) {
                lost.incrementAndGet();
                near.close();
            } else if (!blackhole && !(hintsLost && isPublished(bytes))) {
                near.write(bytes);
            }
        }
    }

    private static boolean isPublished(Buffer bytes) {
        return bytes.toString(StandardCharsets.ISO_8859_1).startsWith("*3\r\n$7\r\nmessage\r\n");
    }

    private static <T> T await(io.vertx.core.Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
