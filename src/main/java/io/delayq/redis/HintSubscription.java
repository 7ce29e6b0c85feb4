package io.delayq.redis;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.List;

/**
 * Listens to the scripts' hints on a connection of its own, on which nothing else is ever sent: the client hands a
 * message to whoever waits for an answer. Owned by one event loop.
 */
public final class HintSubscription {
    /** What a hint says. */
    public interface Listener {
        /** The bucket's next alarm is at this time, earlier than it was; both times are by Redis' clock. */
        void alarm(int bucket, long at, long now);

        /** The topic had no ready job in the bucket, and has some now. */
        void ready(int bucket, String topic);

        /** A server has come or gone. */
        void serversChanged();

        /** Settings of a topic have changed. */
        void settingsChanged();

        /** Somebody has done this to a topic: set, pause, resume or drop. */
        void topicChanged(String topic, String what);

        /** Hints before this moment may have been missed. */
        void listening();
    }

    private final Listener listener;
    private final HeldConnection held;
    private final String channel;
    private long lastHeard = System.nanoTime();

    /** One to each server that has hints of its own: what one publishes, another does not hear of. */
    public static List<HintSubscription> all(Vertx vertx, RedisEndpoint endpoint, Keys keys, Listener listener) {
        return endpoint.shards().stream()
                .map(shard -> new HintSubscription(vertx, shard, keys, listener))
                .toList();
    }

    private HintSubscription(Vertx vertx, RedisEndpoint endpoint, Keys keys, Listener listener) {
        this.listener = listener;
        this.channel = keys.hints();
        this.held = new HeldConnection(vertx, endpoint, "hints", this::subscribe, () -> {});
    }

    /**
     * Each look at a bucket of this server is heard here too: a subscription that heard none for so long is deaf, and is
     * made anew.
     */
    public void reconnectIfSilentFor(long millis) {
        if (System.nanoTime() - lastHeard > millis * 1_000_000) {
            lastHeard = System.nanoTime();
            held.drop(held.connection(), "no hint within " + millis + " ms");
        }
    }

    public Future<Void> close() {
        return held.close();
    }

    private void subscribe(RedisConnection connection) {
        connection.handler(this::heard);
        connection
                .send(Request.cmd(Command.SUBSCRIBE).arg(channel))
                .onFailure(error -> held.drop(connection, HeldConnection.code(error)));
    }

    private void heard(Response message) {
        lastHeard = System.nanoTime();
        String kind = message.get(0).toString();
        if (kind.equals("subscribe")) {
            listener.listening();
        } else if (kind.equals("message")) {
            hint(message.get(2).toString());
        }
    }

    private void hint(String text) {
        int space = text.indexOf(' ');
        if (space < 0) {
            if (text.equals("s")) {
                listener.serversChanged();
            } else if (text.equals("v")) {
                listener.settingsChanged();
            } else if (text.startsWith("c") && text.contains("=")) {
                listener.topicChanged(text.substring(text.indexOf('=') + 1), text.substring(1, text.indexOf('=')));
            }
            return;
        }
        int bucket = Integer.parseInt(text.substring(1, space));
        String rest = text.substring(space + 1);
        if (text.charAt(0) == 'a') {
            int split = rest.indexOf(' ');
            listener.alarm(bucket, Long.parseLong(rest.substring(0, split)), Long.parseLong(rest.substring(split + 1)));
        } else {
            listener.ready(bucket, rest);
        }
    }
}
