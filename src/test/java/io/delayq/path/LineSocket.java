package io.delayq.path;

import io.vertx.core.json.JsonObject;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A request whose chunks are sent, and an answer whose rows are read, one by one and at the same time. */
public final class LineSocket implements AutoCloseable {
    static final String HEAD = "POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n";
    private static final int LIMIT_MILLIS = 20_000;

    private final Socket socket = new Socket();
    private final InputStream in;
    private boolean headRead;
    private int left;
    private boolean whole;

    public LineSocket(int port) throws IOException {
        this(port, 0);
    }

    /** @param receiveBytes 0: as usual */
    public LineSocket(int port, int receiveBytes) throws IOException {
        if (receiveBytes > 0) {
            socket.setReceiveBufferSize(receiveBytes);
        }
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(LIMIT_MILLIS);
        socket.connect(new InetSocketAddress("127.0.0.1", port));
        in = new BufferedInputStream(socket.getInputStream());
        raw(HEAD);
    }

    public LineSocket chunk(String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream chunk = new ByteArrayOutputStream();
        chunk.writeBytes((Integer.toHexString(bytes.length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        chunk.writeBytes(bytes);
        chunk.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().write(chunk.toByteArray());
        return this;
    }

    public void end() throws IOException {
        raw("0\r\n\r\n");
    }

    void raw(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** The next row; null at the end of the answer or of the connection. */
    public JsonObject row() throws IOException {
        if (!headRead) {
            headRead = true;
            String status = head();
            if (!status.startsWith("HTTP/1.1 200")) {
                throw new AssertionError(status);
            }
            while (!head().isEmpty()) {}
        }
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int c = next(); c >= 0; c = next()) {
            if (c == '\n') {
                return new JsonObject(line.toString(StandardCharsets.UTF_8));
            }
            line.write(c);
        }
        if (line.size() > 0) {
            throw new AssertionError("half a row: " + line);
        }
        return null;
    }

    /** Whether the answer came to its end. */
    public boolean isWhole() {
        return whole;
    }

    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** The next byte of the body, -1 after the last. */
    private int next() throws IOException {
        if (whole) {
            return -1;
        }
        if (left == 0) {
            String size = head();
            if (size == null) {
                return -1;
            }
            left = Integer.parseInt(size, 16);
            if (left == 0) {
                head();
                whole = true;
                return -1;
            }
        }
        int c = in.read();
        if (--left == 0) {
            head();
        }
        return c;
    }

    /** A line that ends with CR LF; null at the end. */
    private String head() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                return null;
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }
}
