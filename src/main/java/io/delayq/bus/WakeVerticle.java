package io.delayq.bus;

import io.delayq.job.Callback;
import io.delayq.redis.HintSubscription;
import io.delayq.redis.Store;
import io.delayq.redis.Stores;
import io.delayq.redis.TopicStore.Listed;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Between the rooms, not one of them: turns the hints that scripts publish in Redis into messages for the scanners and
 * dispatchers of this process, its callbacks and its lists, and once a second looks at every bucket for what was
 * missed, also at those that another server scans: it may be gone. One for each process.
 */
public final class WakeVerticle extends VerticleBase implements HintSubscription.Listener {
    private static final long LOOK_MILLIS = 1_000;
    private static final long DEAF_MILLIS = 3_500;
    private static final int LOOKS_BEHIND = 2;
    private static final Map<String, TopicChanged.Kind> KINDS = Map.of(
            "pause", TopicChanged.Kind.PAUSED,
            "resume", TopicChanged.Kind.RESUMED,
            "set", TopicChanged.Kind.SETTINGS,
            "drop", TopicChanged.Kind.DELETED);
    private static final Logger log = LoggerFactory.getLogger(WakeVerticle.class);

    private final Stores stores;
    private final Addresses addresses;
    private Courier courier;
    private Store store;
    private List<HintSubscription> subscriptions;
    private long[] versions;
    private int[] looksBehind;
    /** Nobody has made settings yet, as far as is known. */
    private Listed listed = new Listed(0, Set.of());

    private boolean learning;
    private boolean learnAgain;
    private long timer;
    private boolean stopped;

    public WakeVerticle(Stores stores, Addresses addresses) {
        this.stores = stores;
        this.addresses = addresses;
    }

    @Override
    public Future<?> start() {
        courier = new Courier(vertx);
        store = stores.open(vertx, "wake");
        versions = new long[stores.buckets()];
        looksBehind = new int[stores.buckets()];
        subscriptions = HintSubscription.all(vertx, stores.endpoint(), stores.keys(), this);
        lookAgain();
        return Future.succeededFuture();
    }

    @Override
    public Future<?> stop() {
        stopped = true;
        vertx.cancelTimer(timer);
        return Future.join(subscriptions.stream().map(HintSubscription::close).toList())
                .eventually(store::close);
    }

    @Override
    public void alarm(int bucket, long at, long now) {
        if (addresses.scanners() > 0) {
            courier.send(addresses.scanner(addresses.scannerOf(bucket)), new AlarmHint(bucket, at, now));
        }
    }

    @Override
    public void ready(int bucket, String topic) {
        ReadyHint hint = new ReadyHint(bucket, topic);
        boolean isCalled = Callback.isJobsOf(topic);
        if (isCalled && addresses.hasWebhook()) {
            courier.send(addresses.webhookOf(topic), hint);
        }
        if (addresses.hasDispatcher() && (!isCalled || addresses.hasWebhook())) {
            courier.send(addresses.dispatcherOf(topic), hint);
        }
        if (addresses.hasLists() && listed.topics().contains(topic)) {
            courier.send(addresses.lists(), hint);
        }
    }

    @Override
    public void settingsChanged() {
        if (addresses.hasLists()) {
            learn();
        }
    }

    @Override
    public void topicChanged(String topic, String what) {
        TopicChanged.Kind kind = KINDS.get(what);
        if (kind != null) {
            courier.send(addresses.pulse(), new TopicChanged(kind, topic));
        }
    }

    /** Which topics have a list. If it cannot be found out, the next look tries again. */
    private void learn() {
        if (learning) {
            learnAgain = true;
            return;
        }
        learning = true;
        learnAgain = false;
        store.topics().listed().onComplete(found -> {
            learning = false;
            if (found.succeeded()) {
                listed = found.result();
                courier.send(addresses.lists(), () -> listed);
            }
            if (learnAgain && !stopped) {
                learn();
            }
        });
    }

    /** Also when nothing has changed, in case nobody heard it the last time. */
    private void sayListed(long version) {
        if (version != listed.version()) {
            settingsChanged();
        } else if (!listed.topics().isEmpty()) {
            courier.send(addresses.lists(), () -> listed);
        }
    }

    @Override
    public void serversChanged() {
        courier.send(addresses.heartbeat(), new ServersHint());
    }

    @Override
    public void listening() {
        for (int bucket = 0; bucket < stores.buckets(); bucket++) {
            look(bucket);
        }
    }

    private void lookAgain() {
        if (stopped) {
            return;
        }
        subscriptions.forEach(subscription -> subscription.reconnectIfSilentFor(DEAF_MILLIS));
        Future<Void> all = Future.succeededFuture();
        for (int bucket = 0; bucket < stores.buckets(); bucket++) {
            Future<Void> one = look(bucket);
            all = all.eventually(() -> one);
        }
        all.eventually(this::mend).onComplete(done -> timer = vertx.setTimer(LOOK_MILLIS, id -> lookAgain()));
    }

    /** Bucket 0 is the truth of all settings; a bucket that differs from it for longer has missed a change. */
    private Future<Void> mend() {
        Future<Void> all = Future.succeededFuture();
        for (int i = 1; i < versions.length; i++) {
            int bucket = i;
            looksBehind[bucket] = versions[bucket] == versions[0] ? 0 : looksBehind[bucket] + 1;
            if (looksBehind[bucket] >= LOOKS_BEHIND) {
                all = all.eventually(() -> store.topics()
                        .mend(bucket)
                        .onSuccess(changed -> log.info("settings mended bucket={} topics={}", bucket, changed))
                        .onFailure(error -> log.debug("settings not mended bucket={}", bucket, error)));
            }
        }
        return all;
    }

    /** A failed look is made good by the next one. */
    private Future<Void> look(int bucket) {
        return store.look(bucket)
                .onSuccess(seen -> {
                    versions[bucket] = seen.version();
                    if (bucket == 0) {
                        sayListed(seen.version());
                    }
                    if (seen.alarm() >= 0) {
                        alarm(bucket, seen.alarm(), seen.now());
                    }
                    seen.awake().forEach(topic -> ready(bucket, topic));
                })
                .<Void>mapEmpty()
                .otherwiseEmpty();
    }
}
