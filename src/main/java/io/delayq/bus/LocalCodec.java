package io.delayq.bus;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBus;
import io.vertx.core.eventbus.MessageCodec;

/** Passes immutable messages by reference inside the process, and refuses the wire. */
public final class LocalCodec implements MessageCodec<Object, Object> {
    static final String NAME = "delayq.local";

    /** Once for each Vert.x; a second server on the same one finds it there. */
    public static void register(EventBus bus) {
        try {
            bus.registerCodec(new LocalCodec());
        } catch (IllegalStateException alreadyThere) {
            // by another server on this Vert.x
        }
    }

    @Override
    public Object transform(Object message) {
        return message;
    }

    @Override
    public void encodeToWire(Buffer buffer, Object message) {
        throw new UnsupportedOperationException("a message of this process only");
    }

    @Override
    public Object decodeFromWire(int at, Buffer buffer) {
        throw new UnsupportedOperationException("a message of this process only");
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public byte systemCodecID() {
        return -1;
    }
}
