package io.delayq.path;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** A TCP connection that writes WebSocket frames byte by byte, also ones that no library would send. */
final class RawSocket implements AutoCloseable {
    static final int TEXT = 1;
    static final int CLOSE = 8;
    static final int PING = 9;
    static final int PONG = 10;
    static final int FINAL = 0x80;
    static final int COMPRESSED = 0x40;
    private static final int LIMIT_MILLIS = 10_000;
    private static final int RECEIVE_BYTES = 8 * 1024;

    private final Socket socket = new Socket();
    private final DataInputStream in;
    /** The server's answer to the handshake. */
    final String head;

    /** @param data of a close frame without its code */
    record Frame(int opcode, int closeCode, String data) {}

    RawSocket(TestServer server, String... headers) throws IOException {
        socket.setReceiveBufferSize(RECEIVE_BYTES);
        socket.setSoTimeout(LIMIT_MILLIS);
        socket.setTcpNoDelay(true);
        socket.connect(new InetSocketAddress("127.0.0.1", server.port()));
        in = new DataInputStream(socket.getInputStream());
        StringBuilder request = new StringBuilder("GET /v1/ws HTTP/1.1\r\nHost: 127.0.0.1:" + server.port()
                + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
        for (String header : headers) {
            request.append(header).append("\r\n");
        }
        write(request.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
        StringBuilder answer = new StringBuilder();
        while (answer.indexOf("\r\n\r\n") < 0) {
            answer.append((char) in.readUnsignedByte());
        }
        head = answer.toString();
    }

    void text(String text) throws IOException {
        frame(FINAL | TEXT, text.getBytes(StandardCharsets.UTF_8));
    }

    /** A masked frame; the mask is zero, so that the payload stands as it is. */
    void frame(int first, byte[] payload) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(first);
        if (payload.length < 126) {
            out.write(0x80 | payload.length);
        } else if (payload.length < 65_536) {
            out.write(0x80 | 126);
            out.write(payload.length >> 8);
            out.write(payload.length);
        } else {
            out.write(0x80 | 127);
            for (int shift = 56; shift >= 0; shift -= 8) {
                out.write((int) ((long) payload.length >> shift));
            }
        }
        out.write(new byte[4]);
        out.write(payload);
        write(out.toByteArray());
    }

    /** The next whole frame from the server; null when the connection has ended. */
    Frame read() throws IOException {
        int first = in.read();
        if (first < 0) {
            return null;
        }
        int length = in.readUnsignedByte();
        if (length == 126) {
            length = in.readUnsignedShort();
        } else if (length == 127) {
            length = (int) in.readLong();
        }
        byte[] data = in.readNBytes(length);
        int opcode = first & 0xf;
        boolean close = opcode == CLOSE && length >= 2;
        int code = close ? (data[0] & 0xff) << 8 | data[1] & 0xff : 0;
        return new Frame(
                opcode, code, new String(data, close ? 2 : 0, length - (close ? 2 : 0), StandardCharsets.UTF_8));
    }

    /** Reads to the end; the close code, -1 if the connection ended without one. */
    int closeCode() {
        try {
            for (Frame frame = read(); frame != null; frame = read()) {
                if (frame.opcode == CLOSE) {
                    return frame.closeCode;
                }
            }
        } catch (IOException reset) {
            return -1;
        }
        return -1;
    }

    /** The end of a process whose machine answers with a reset. */
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    private void write(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
    }
}
