package io.delayq.redis;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * What the connections of one process know of the master together: where it was last found, and which sentinel could
 * say so. As soon as one connection has found another master, all others leave the old one, also those that have nothing
 * to send and would not notice. May be used from any thread.
 */
final class KnownMaster {
    private final Set<Consumer<String>> listeners = ConcurrentHashMap.newKeySet();
    private final AtomicInteger turn = new AtomicInteger();
    private String url;

    /** Which of the sentinels to ask first; counts on without end. */
    int turn() {
        return turn.get();
    }

    /** That one was no help: whoever asks next begins with the one after it. */
    void pass(int useless) {
        turn.compareAndSet(useless, useless + 1);
    }

    /** @return where it was before, null if this is the first or the same */
    String found(String now) {
        String before;
        synchronized (this) {
            before = url;
            url = now;
        }
        if (now.equals(before)) {
            return null;
        }
        listeners.forEach(listener -> listener.accept(now));
        return before;
    }

    void add(Consumer<String> listener) {
        listeners.add(listener);
    }

    void remove(Consumer<String> listener) {
        listeners.remove(listener);
    }
}
