package io.delayq.bus;

import io.vertx.core.Vertx;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import java.util.function.Supplier;

/**
 * Sends messages that should arrive soon even if the bus loses some: each is answered, and sent again until it is. What
 * is sent again is said anew, so that an old word never comes after a newer one.
 */
public final class Courier {
    private static final long ANSWER_MILLIS = 100;
    private static final int TRIES = 20;

    private final Vertx vertx;

    public Courier(Vertx vertx) {
        this.vertx = vertx;
    }

    public void send(String address, Object message) {
        send(address, () -> message);
    }

    /** @param message what is to be said by now; null if there is nothing left to say */
    public void send(String address, Supplier<?> message) {
        send(address, message, TRIES);
    }

    private void send(String address, Supplier<?> supplier, int tries) {
        Object message = supplier.get();
        if (message == null) {
            return;
        }
        vertx.eventBus()
                .request(address, message, Addresses.options().setSendTimeout(ANSWER_MILLIS))
                .onFailure(error -> {
                    // nobody there means a room that is closing; the net under everything is the look each second
                    if (tries > 1 && error instanceof ReplyException e && e.failureType() == ReplyFailure.TIMEOUT) {
                        send(address, supplier, tries - 1);
                    }
                });
    }

    /** What every listener says to a message that came by courier. */
    public static void arrived(Message<?> message) {
        message.reply(true, Addresses.options());
    }
}
