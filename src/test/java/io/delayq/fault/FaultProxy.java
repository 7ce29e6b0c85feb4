package io.delayq.fault;

import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.util.Random;
import java.util.Set;
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
    private volatile double loss;
    private volatile boolean blackhole;

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
            near.handler(bytes -> {
                if (!blackhole) {
                    far.write(bytes);
                }
            });
            far.handler(bytes -> {
                if (blackhole) {
                    return;
                }
                if (random.nextDouble() < loss) {
                    lost.incrementAndGet();
                    near.close();
                } else {
                    near.write(bytes);
                }
            });
            near.closeHandler(closed -> {
                open.remove(near);
                far.close();
            });
            far.closeHandler(closed -> near.close());
            near.resume();
        });
    }

    private static <T> T await(io.vertx.core.Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }
}
