package io.delayq.redis;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A blocking Redis connection for assertions; opened when used, and again after it broke. */
public final class RespClient implements AutoCloseable {
    private static final int CONNECT_MILLIS = 1_000;
    private static final int READ_MILLIS = 5_000;

    private final URI url;
    private Socket socket;
    private InputStream in;
    private OutputStream out;

    public RespClient(String url) {
        this.url = URI.create(url);
    }

    /** An error that Redis answered. */
    public static final class ErrorReply extends RuntimeException {
        ErrorReply(String message) {
            super(message);
        }
    }

    /** The reply as String, Long, List or null. */
    public Object command(String... words) {
        return text(commandBytes(Arrays.stream(words)
                .map(w -> w.getBytes(StandardCharsets.UTF_8))
                .toArray(byte[][]::new)));
    }

    /** The same with byte[] in place of String. */
    public synchronized Object commandBytes(byte[]... words) {
        try {
            if (socket == null) {
                connect();
            }
            return roundTrip(words);
        } catch (IOException e) {
            close();
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public synchronized void close() {
        try {
            if (socket != null) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            socket = null;
        }
    }

    private void connect() throws IOException {
        socket = new Socket();
        socket.connect(new InetSocketAddress(url.getHost(), url.getPort()), CONNECT_MILLIS);
        socket.setSoTimeout(READ_MILLIS);
        socket.setTcpNoDelay(true);
        in = new BufferedInputStream(socket.getInputStream());
        out = new BufferedOutputStream(socket.getOutputStream());
        if (url.getUserInfo() != null) {
            String password = url.getUserInfo().substring(url.getUserInfo().indexOf(':') + 1);
            roundTrip("AUTH".getBytes(StandardCharsets.UTF_8), password.getBytes(StandardCharsets.UTF_8));
        }
    }

    private Object roundTrip(byte[]... words) throws IOException {
        out.write(("*" + words.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
        for (byte[] word : words) {
            out.write(("$" + word.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
            out.write(word);
            out.write("\r\n".getBytes(StandardCharsets.US_ASCII));
        }
        out.flush();
        Object reply = read();
        if (reply instanceof ErrorReply error) {
            throw error;
        }
        return reply;
    }

    private Object read() throws IOException {
        String line = line();
        String rest = line.substring(1);
        return switch (line.charAt(0)) {
            case '+' -> rest.getBytes(StandardCharsets.ISO_8859_1);
            case '-' -> new ErrorReply(rest);
            case ':' -> Long.valueOf(rest);
            case '$' -> bulk(Integer.parseInt(rest));
            case '*' -> list(Integer.parseInt(rest));
            default -> throw new IOException("unexpected reply " + line);
        };
    }

    private byte[] bulk(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        byte[] bytes = in.readNBytes(length);
        line();
        return bytes;
    }

    private List<Object> list(int length) throws IOException {
        if (length < 0) {
            return null;
        }
        List<Object> list = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            list.add(read());
        }
        return list;
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("Redis closed the connection");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }

    private static Object text(Object reply) {
        if (reply instanceof byte[] bytes) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
        if (reply instanceof List<?> list) {
            List<Object> texts = new ArrayList<>();
            list.forEach(item -> texts.add(text(item)));
            return texts;
        }
        return reply;
    }
}
