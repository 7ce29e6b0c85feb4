package io.delayq.load.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A server that does nothing and answers at once, as long as delayq's answers are: what the load generator reaches
 * against it, on the same machine, is what it can reach at all.
 */
public final class Stub implements AutoCloseable {
    private static final int CONNECTIONS_OF_C = 16;

    private final ServerSocketChannel listening = ServerSocketChannel.open();
    private final Thread thread;
    private volatile boolean stopping;

    private Stub(int connections, Supplier<Conn> made) throws IOException {
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), connections);
        thread = new Thread(() -> serve(connections, made), "stub");
        thread.setDaemon(true);
        thread.start();
    }

    private void serve(int connections, Supplier<Conn> made) {
        try (Loop loop = new Loop()) {
            for (int i = 0; i < connections; i++) {
                made.get().adopt(loop, listening.accept());
            }
            loop.run(() -> stopping);
        } catch (IOException e) {
            // the clients leave first
            stopping = true;
        }
    }

    private int port() throws IOException {
        return ((InetSocketAddress) listening.getLocalAddress()).getPort();
    }

    @Override
    public void close() throws IOException {
        stopping = true;
        listening.close();
    }

    /** Jobs a second that the generator pushes. */
    public static double pushes(int jobs, int connections, int batch) throws IOException {
        JobShape shape = new JobShape("load.stub", 1, 0);
        int length = new HttpPush(10_000, shape, batch, true).requestLength();
        byte[] answer = pushed(batch);
        try (Stub stub = new Stub(connections, () -> new Pushed(length, answer))) {
            List<HttpPush> conns = new ArrayList<>();
            for (int i = 0; i < connections; i++) {
                // the port is part of the request, and all requests are to be of one length
                conns.add(new HttpPush(10_000, shape, batch, true));
            }
            return jobs / ClosedPush.run(stub.port(), conns, 0, jobs, 3_600_000, stored -> {});
        }
    }

    private static byte[] pushed(int batch) {
        String row = "\"topic\":\"load.stub\",\"id\":\"2snvq9c1x0a7k\",\"state\":\"delayed\",\"due\":1798761600000}";
        StringBuilder body = new StringBuilder();
        if (batch == 1) {
            body.append('{').append(row);
        } else {
            body.append("{\"accepted\":").append(batch).append(",\"rejected\":0,\"results\":[");
            for (int i = 0; i < batch; i++) {
                body.append(i == 0 ? "" : ",")
                        .append("{\"index\":")
                        .append(i)
                        .append(",\"status\":201,")
                        .append(row);
            }
            body.append("]}");
        }
        return Bytes.ascii("HTTP/1.1 " + (batch == 1 ? "201 Created" : "200 OK")
                + "\r\ncontent-type: application/json\r\ncontent-length: " + body.length() + "\r\n\r\n" + body);
    }

    /** Jobs a second that the generator takes over WebSocket and acks. */
    public static double drain(int jobs) throws IOException {
        JobShape shape = JobShape.of("load.stub");
        Delivering delivering = new Delivering(shape, jobs);
        try (Stub stub = new Stub(CONNECTIONS_OF_C, () -> new Delivered(delivering))) {
            List<SocketDrain> conns = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS_OF_C; i++) {
                conns.add(new SocketDrain(10_000, shape, List.of("load.stub"), 1_000));
            }
            return jobs / Drain.run(stub.port(), conns, jobs, taken -> {});
        }
    }

    private static final class Pushed extends Conn {
        private final int length;
        private final byte[] answer;

        Pushed(int length, byte[] answer) {
            this.length = length;
            this.answer = answer;
        }

        @Override
        protected int heard(byte[] in, int from, int to) throws IOException {
            int at = from;
            for (; to - at >= length; at += length) {
                send(answer, 0, answer.length);
            }
            return at;
        }
    }

    /** Messages of a hundred jobs, made once and patched. Only the stub's thread uses it. */
    private static final class Delivering {
        private static final int JOBS = 100;
        private final JobShape shape;
        private final int most;
        private final byte[] message;
        private final int[] idAt = new int[JOBS];
        private int next;

        Delivering(JobShape shape, int most) {
            this.shape = shape;
            this.most = most;
            StringBuilder text = new StringBuilder("{\"op\":\"jobs\",\"topic\":\"load.stub\",\"jobs\":[");
            for (int i = 0; i < JOBS; i++) {
                text.append(i == 0 ? "{\"id\":\"" : ",{\"id\":\"");
                idAt[i] = text.length() + 4;
                text.append("j0000000\",\"lease\":\"YkIGgr0CU0mVcl0W0\",\"attempt\":1,\"maxAttempts\":10,")
                        .append("\"due\":1794799583855,\"deadline\":1794799643859,\"body\":")
                        .append(shape.body())
                        .append('}');
            }
            text.append("]}");
            message = framed(text.toString());
        }

        /** Null if there is none left. */
        byte[] next() {
            if (next >= most) {
                return null;
            }
            for (int i = 0; i < JOBS; i++) {
                shape.id(message, idAt[i], next++);
            }
            return message;
        }
    }

    private static byte[] framed(String text) {
        byte[] bytes = Bytes.ascii(text);
        int head = bytes.length < 126 ? 2 : 4;
        byte[] frame = new byte[head + bytes.length];
        frame[0] = (byte) 0x81;
        frame[1] = (byte) (head == 2 ? bytes.length : 126);
        if (head == 4) {
            frame[2] = (byte) (bytes.length >> 8);
            frame[3] = (byte) bytes.length;
        }
        System.arraycopy(bytes, 0, frame, head, bytes.length);
        return frame;
    }

    private static final class Delivered extends Conn {
        private static final byte[] HEAD_END = Bytes.ascii("\r\n\r\n");
        private static final byte[] UPGRADED = Bytes.ascii("HTTP/1.1 101 Switching Protocols\r\n\r\n");
        private static final byte[] ACKED =
                framed("{\"op\":\"acked\",\"topic\":\"load.stub\",\"ref\":1,\"acked\":100,\"stale\":[]}");
        private final Delivering delivering;
        private boolean open;
        private boolean subscribed;

        Delivered(Delivering delivering) {
            this.delivering = delivering;
        }

        @Override
        protected int heard(byte[] in, int from, int to) throws IOException {
            int at = from;
            if (!open) {
                int end = Bytes.find(in, from, to, HEAD_END);
                if (end < 0) {
                    return from;
                }
                open = true;
                send(UPGRADED, 0, UPGRADED.length);
                at = end + HEAD_END.length;
            }
            while (to - at >= 8) {
                int length = in[at + 1] & 0x7f;
                int head = length == 126 ? 8 : 6;
                length = length == 126 ? (in[at + 2] & 0xff) << 8 | in[at + 3] & 0xff : length;
                if (to - at < head + length) {
                    break;
                }
                at += head + length;
                if (subscribed) {
                    send(ACKED, 0, ACKED.length);
                    deliver(1);
                } else {
                    subscribed = true;
                    deliver(10);
                }
            }
            return at;
        }

        private void deliver(int messages) throws IOException {
            for (int i = 0; i < messages; i++) {
                byte[] message = delivering.next();
                if (message != null) {
                    send(message, 0, message.length);
                }
            }
        }
    }
}
