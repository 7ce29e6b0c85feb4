package io.delayq.load.net;

import java.io.IOException;

/** Stores jobs at one server, one request at a time. */
public abstract class PushConn extends Conn {
    /** Told when a request is answered and all its jobs are stored; anything else is an IOException. */
    interface Done {
        void pushed(PushConn conn) throws IOException;
    }

    Done done;
    private boolean ready;

    /** @param first number of the first job; a request always has as many as the connection was made for */
    abstract void push(int first, long delayMillis) throws IOException;

    /** How many jobs a request has. */
    abstract int batch();

    /** A connection that needs no greeting is ready from the start. */
    protected final void becomeReady() throws IOException {
        ready = true;
        done.pushed(this);
    }

    final boolean isReady() {
        return ready;
    }
}
