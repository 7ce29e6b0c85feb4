package io.delayq.webhook;

import io.delayq.bus.Addresses;
import io.delayq.bus.Batch;
import io.delayq.bus.Courier;
import io.delayq.bus.Post;
import io.delayq.bus.ReadyHint;
import io.delayq.config.Settings;
import io.delayq.http.Targets;
import io.delayq.job.Delivery;
import io.delayq.redis.Store;
import io.delayq.redis.Stores;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.Message;
import io.vertx.core.http.HttpClientOptions;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Room 5 of push -> bucket -> ready -> <b>callback</b> -> ack: calls the jobs that have a callback, their own or their
 * topic's. They come from the dispatcher under a lease like those of any consumer, so what a dead server was calling comes
 * back. Demand is in {@link Lines}, the calls are in {@link Calls}.
 */
public final class WebhookVerticle extends VerticleBase {
    private static final int MOST_HELD = 1_000;
    /** Leaves room for other hosts, and is no less than a burst to one of them needs. */
    private static final int MOST_QUEUED = 900;

    private static final long MOST_HELD_BYTES = 16 << 20;
    private static final long LOOK_AFTER_MILLIS = 250;
    private static final int ANNOUNCE_EVERY = 4;
    private static final long GRACE_MILLIS = 4_000;
    private static final int REMEMBERED_BATCHES = 10_000;

    private final Settings.Webhook settings;
    private final Stores stores;
    private final Addresses addresses;
    private final Targets targets;
    private final HttpClientOptions http;
    private final int instance;
    private final String room;
    private final Set<String> taken = Collections.newSetFromMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
            return size() > REMEMBERED_BATCHES;
        }
    });
    private Store store;
    private Lines lines;
    private Calls calls;
    private long heldBytes;
    private long rounds;
    private long timer;
    private boolean announcing;

    public WebhookVerticle(
            Settings.Webhook settings, Stores stores, Addresses addresses, Targets targets, int instance) {
        this(settings, stores, addresses, targets, new HttpClientOptions(), instance);
    }

    /** @param http what calls are to trust, among other things */
    WebhookVerticle(
            Settings.Webhook settings,
            Stores stores,
            Addresses addresses,
            Targets targets,
            HttpClientOptions http,
            int instance) {
        this.settings = settings;
        this.stores = stores;
        this.addresses = addresses;
        this.targets = targets;
        this.http = http;
        this.instance = instance;
        this.room = "webhook-" + instance;
    }

    @Override
    public Future<?> start() {
        store = stores.open(vertx, room);
        lines = new Lines(new Courier(vertx), addresses, room, MOST_HELD, () -> heldBytes >= MOST_HELD_BYTES);
        CallClient client = new CallClient(vertx, http, settings.connectionsPerHost());
        calls = new Calls(
                vertx,
                store,
                targets,
                client,
                stores.meters(),
                settings.connectionsPerHost(),
                MOST_QUEUED,
                this::settled);
        stores.meters().queue("callbacks", room, calls::underWay);
        timer = vertx.setTimer(LOOK_AFTER_MILLIS, fired -> lookAfter());
        return vertx.eventBus()
                .consumer(addresses.room(room), this::received)
                .completion()
                .compose(ready -> vertx.eventBus()
                        .<Post>consumer(addresses.webhook(instance), message -> Courier.receive(message, this::hinted))
                        .completion())
                .compose(ready -> store.ready());
    }

    /** Takes no more, gives back what waits, and lets calls under way end for a while. */
    @Override
    public Future<?> stop() {
        lines.close();
        vertx.cancelTimer(timer);
        return calls.close(GRACE_MILLIS).compose(done -> store.settled()).eventually(store::close);
    }

    private void hinted(Object letter) {
        if (letter instanceof ReadyHint hint) {
            lines.heard(hint.topic());
        }
    }

    private void received(Message<Batch> message) {
        Batch batch = message.body();
        boolean known = taken.contains(batch.number());
        if (!known && lines.take(batch)) {
            known = true;
            taken.add(batch.number());
            for (Delivery job : batch.jobs()) {
                heldBytes += job.body().length();
                calls.take(job, batch.topic());
            }
        }
        message.reply(known, Addresses.options());
    }

    private void settled(Held held) {
        heldBytes -= held.job().body().length();
        lines.settled(held.line());
        if (!announcing) {
            // once for all that one turn of the event loop brings
            announcing = true;
            vertx.runOnContext(turn -> {
                announcing = false;
                lines.announceChanged();
            });
        }
    }

    private void lookAfter() {
        timer = vertx.setTimer(LOOK_AFTER_MILLIS, fired -> lookAfter());
        calls.lookAfter();
        if (++rounds % ANNOUNCE_EVERY == 0) {
            lines.lookAfter();
        }
    }
}
