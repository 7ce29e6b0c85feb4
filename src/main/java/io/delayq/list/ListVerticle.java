package io.delayq.list;

import io.delayq.bus.Addresses;
import io.delayq.bus.Courier;
import io.delayq.bus.Post;
import io.delayq.bus.ReadyHint;
import io.delayq.redis.ListStore;
import io.delayq.redis.Stores;
import io.delayq.redis.TopicStore.Listed;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A room at the end of push -> bucket -> ready -> <b>list</b>: moves ready jobs of topics with {@code redisList} to these
 * Redis lists, where they are done. Sleeps until it is told of a topic with ready jobs. Several servers do the same side
 * by side: what one has moved the others do not find.
 */
public final class ListVerticle extends VerticleBase {
    private final Stores stores;
    private final Addresses addresses;
    private final Map<String, Feed> feeds = new HashMap<>();
    private ListStore store;
    private long version = -1;
    private boolean stopped;

    public ListVerticle(Stores stores, Addresses addresses) {
        this.stores = stores;
        this.addresses = addresses;
    }

    @Override
    public Future<?> start() {
        store = stores.openLists(vertx, "lists");
        return vertx.eventBus()
                .<Post>consumer(addresses.lists(), message -> Courier.receive(message, this::received))
                .completion()
                .compose(listening -> store.ready());
    }

    @Override
    public Future<?> stop() {
        stopped = true;
        List<Future<Void>> ending = feeds.values().stream().map(Feed::stop).toList();
        return Future.join(ending).eventually(store::close);
    }

    private void received(Object letter) {
        if (stopped) {
            return;
        }
        if (letter instanceof Listed listed && listed.version() != version) {
            version = listed.version();
            changed(listed);
        } else if (letter instanceof ReadyHint hint && feeds.containsKey(hint.topic())) {
            feeds.get(hint.topic()).mayHave(hint.bucket());
        }
    }

    /** What stood in the way of a topic may be gone now. */
    private void changed(Listed listed) {
        feeds.entrySet().removeIf(feed -> {
            boolean gone = !listed.topics().contains(feed.getKey());
            if (gone) {
                feed.getValue().stop();
            }
            return gone;
        });
        listed.topics()
                .forEach(topic -> feeds.computeIfAbsent(topic, name -> new Feed(vertx, store, stores.meters(), name))
                        .changed());
    }
}
