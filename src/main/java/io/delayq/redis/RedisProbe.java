package io.delayq.redis;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** One blocking word with a Redis on this machine, such as: who are you, and are you ready? For worker threads. */
final class RedisProbe {
    private static final int CONNECT_MILLIS = 500;
    private static final int READ_MILLIS = 1_000;

    private RedisProbe() {}

    /** @param loading it lives, and still reads its data from disk */
    record Answer(long processId, boolean loading) {}

    static Answer ask(RedisConf conf) throws IOException {
        try (Socket socket = new Socket()) {
            InputStream in = send(socket, conf, "*2\r\n$4\r\nINFO\r\n$6\r\nserver\r\n" + "*1\r\n$4\r\nPING\r\n");
            long processId = processId(reply(in));
            String pong = reply(in);
            if (!pong.equals("+PONG") && !pong.startsWith("-LOADING")) {
                throw new IOException("PING was answered by " + pong);
            }
            return new Answer(processId, !pong.equals("+PONG"));
        }
    }

    static void set(RedisConf conf, String name, String value) throws IOException {
        try (Socket socket = new Socket()) {
            String request = "*4\r\n$6\r\nCONFIG\r\n$3\r\nSET\r\n$" + name.length() + "\r\n" + name + "\r\n$"
                    + value.length() + "\r\n" + value + "\r\n";
            String answer = reply(send(socket, conf, request));
            if (!answer.equals("+OK")) {
                throw new IOException("CONFIG SET was answered by " + answer);
            }
        }
    }

    static String info(RedisConf conf, String section) throws IOException {
        try (Socket socket = new Socket()) {
            return reply(send(socket, conf, "*2\r\n$4\r\nINFO\r\n$" + section.length() + "\r\n" + section + "\r\n"));
        }
    }

    /** Begins it; Redis goes on meanwhile. */
    static void rewriteLog(RedisConf conf) throws IOException {
        try (Socket socket = new Socket()) {
            String answer = reply(send(socket, conf, "*1\r\n$12\r\nBGREWRITEAOF\r\n"));
            if (!answer.startsWith("+")) {
                throw new IOException("BGREWRITEAOF was answered by " + answer);
            }
        }
    }

    private static InputStream send(Socket socket, RedisConf conf, String request) throws IOException {
        socket.connect(new InetSocketAddress("127.0.0.1", conf.port()), CONNECT_MILLIS);
        socket.setSoTimeout(READ_MILLIS);
        String auth = "*2\r\n$4\r\nAUTH\r\n$" + conf.password().length() + "\r\n" + conf.password() + "\r\n";
        socket.getOutputStream().write((auth + request).getBytes(StandardCharsets.US_ASCII));
        InputStream in = new BufferedInputStream(socket.getInputStream());
        if (!reply(in).equals("+OK")) {
            throw new IOException("the password was refused");
        }
        return in;
    }

    private static long processId(String info) throws IOException {
        return info.lines()
                .filter(line -> line.startsWith("process_id:"))
                .map(line -> Long.parseLong(line.substring("process_id:".length())))
                .findFirst()
                .orElseThrow(() -> new IOException("INFO has no process_id"));
    }

    /** A simple reply with its type sign, or a bulk reply's text. */
    private static String reply(InputStream in) throws IOException {
        String line = line(in);
        if (!line.startsWith("$")) {
            return line;
        }
        byte[] bulk = in.readNBytes(Integer.parseInt(line.substring(1)));
        line(in);
        return new String(bulk, StandardCharsets.ISO_8859_1);
    }

    private static String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("closed");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
    }
}
