package io.delayq.bus;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Sends messages that should arrive soon even if the bus loses some: what one turn of the event loop has for an address
 * goes in one {@link Post}, which is answered, and sent again until it is. What is sent again is said anew, so that an
 * old word never comes after a newer one. Owned by one event loop.
 */
public final class Courier {
    private static final long ANSWER_MILLIS = 100;
    private static final int TRIES = 20;
    /** So that reading one does not hold up whoever gets it. */
    private static final int LETTERS_A_POST = 1_000;

    private final Vertx vertx;
    private final Context context;
    private final Map<String, List<Supplier<?>>> toGo = new HashMap<>();

    public Courier(Vertx vertx) {
        this.vertx = vertx;
        this.context = vertx.getOrCreateContext();
    }

    public void send(String address, Object message) {
        send(address, () -> message);
    }

    /** @param message what is to be said by then; null if there is nothing left to say */
    public void send(String address, Supplier<?> message) {
        if (toGo.isEmpty()) {
            context.runOnContext(turn -> go());
        }
        toGo.computeIfAbsent(address, to -> new ArrayList<>()).add(message);
    }

    private void go() {
        Map<String, List<Supplier<?>>> all = Map.copyOf(toGo);
        toGo.clear();
        all.forEach((address, letters) -> {
            for (int from = 0; from < letters.size(); from += LETTERS_A_POST) {
                post(address, letters.subList(from, Math.min(letters.size(), from + LETTERS_A_POST)), TRIES);
            }
        });
    }

    private void post(String address, List<Supplier<?>> suppliers, int tries) {
        List<Object> letters = new ArrayList<>(suppliers.size());
        suppliers.stream().map(Supplier::get).filter(Objects::nonNull).forEach(letters::add);
        if (letters.isEmpty()) {
            return;
        }
        vertx.eventBus()
                .request(address, new Post(letters), Addresses.options().setSendTimeout(ANSWER_MILLIS))
                .onFailure(error -> {
                    // nobody there means a room that is closing; the net under everything is the look each second
                    if (tries > 1 && error instanceof ReplyException e && e.failureType() == ReplyFailure.TIMEOUT) {
                        post(address, suppliers, tries - 1);
                    }
                });
    }

    /** What every listener does with what came by courier. */
    public static void receive(Message<Post> message, Consumer<Object> each) {
        message.reply(true, Addresses.options());
        message.body().letters().forEach(each);
    }
}
