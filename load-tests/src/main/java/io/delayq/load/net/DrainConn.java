package io.delayq.load.net;

import java.io.IOException;

/** Takes jobs from one server and acknowledges each. */
public abstract class DrainConn extends Conn {
    interface Taken {
        void ready(DrainConn conn) throws IOException;

        void delivered(int job) throws IOException;

        void acked(int jobs) throws IOException;

        /** Whether one more may be asked for, where a consumer asks for each job. */
        boolean mayAsk();
    }

    Taken taken;

    /** From now on jobs may come. */
    abstract void begin() throws IOException;
}
