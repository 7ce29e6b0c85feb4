package io.delayq.bus;

import io.delayq.redis.ServerList;
import io.delayq.redis.ServerList.Member;
import io.delayq.redis.Store;
import io.delayq.redis.Stores;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.eventbus.MessageConsumer;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Between the rooms, not one of them: tells the other servers through Redis that this one lives, and the scanners of this
 * one which buckets are theirs. One for each process, the last to start and the first to stop. Which server scans is a
 * matter of economy only: while Redis cannot be asked, the scanners stay with what they were told last. With each
 * heartbeat goes what this server has done so far, see {@link Pulse}.
 */
public final class HeartbeatVerticle extends VerticleBase {
    private static final Logger log = LoggerFactory.getLogger(HeartbeatVerticle.class);
    private static final String SCANNER = "scanner";

    private final Stores stores;
    private final Addresses addresses;
    private Courier courier;
    private Store store;
    private Pulse pulse;
    private MessageConsumer<Post> hints;
    private Member self;
    private volatile Set<String> servers = Set.of();
    private volatile int scanners;
    private volatile boolean answered = true;
    private Share share = new Share(Set.of());
    private long timer;
    private boolean underWay;
    private boolean again;
    private boolean noScanner;
    private boolean stopped;

    public HeartbeatVerticle(Stores stores, Addresses addresses, Member self) {
        this.stores = stores;
        this.addresses = addresses;
        this.self = self;
    }

    /** Done when this server is known to the others, unless Redis has just gone away. */
    @Override
    public Future<?> start() {
        courier = new Courier(vertx);
        store = stores.open(vertx, "heartbeat");
        pulse = new Pulse(vertx, store, addresses, stores.meters());
        stores.meters().servers(() -> servers.size(), () -> scanners, () -> answered ? 1 : 0);
        hints = vertx.eventBus().consumer(addresses.heartbeat(), message -> Courier.receive(message, this::hinted));
        return hints.completion()
                .compose(ready -> pulse.start())
                .compose(ready -> store.ready())
                .compose(ready -> beat().otherwiseEmpty());
    }

    /** The others take over at once. The scanners go on until they are stopped: two on one bucket do no harm. */
    @Override
    public Future<?> stop() {
        stopped = true;
        vertx.cancelTimer(timer);
        // its own leaving is news too, which nobody here waits for
        return hints.unregister()
                .eventually(pulse::stop)
                .eventually(() -> store.servers().leave(self.id()))
                .otherwiseEmpty()
                .eventually(store::close);
    }

    private void hinted(Object hint) {
        if (underWay) {
            again = true;
        } else if (!stopped) {
            vertx.cancelTimer(timer);
            beat();
        }
    }

    private Future<?> beat() {
        underWay = true;
        again = false;
        return store.servers().beat(self.saying(pulse.says())).onComplete(result -> {
            underWay = false;
            answered = result.succeeded();
            if (stopped) {
                return;
            }
            if (result.succeeded()) {
                seen(result.result());
            }
            timer = vertx.setTimer(again ? 1 : ServerList.BEAT_MILLIS, fired -> beat());
        });
    }

    private void seen(List<Member> all) {
        Set<String> scanning = all.stream()
                .filter(one -> one.roles().contains(SCANNER))
                .map(Member::id)
                .collect(Collectors.toSet());
        all.stream().filter(one -> one.id().equals(self.id())).forEach(me -> self = me);
        pulse.heard(all, self);
        scanners = scanning.size();
        share = new Share(Rendezvous.bucketsOf(self.id(), scanning, stores.buckets()));
        for (int instance = 0; instance < addresses.scanners(); instance++) {
            courier.send(addresses.scanner(instance), () -> share);
        }
        say(all.stream().map(Member::id).collect(Collectors.toSet()), scanning.isEmpty());
    }

    private void say(Set<String> now, boolean nobodyScans) {
        if (!servers.isEmpty() && !servers.equals(now)) {
            log.info("servers changed up={} scanned here={}", now.size(), share.buckets());
        }
        servers = now;
        if (nobodyScans != noScanner) {
            noScanner = nobodyScans;
            if (nobodyScans) {
                log.warn("no server has the role scanner: delayed jobs will not come due");
            } else {
                log.info("a server has the role scanner again");
            }
        }
    }
}
