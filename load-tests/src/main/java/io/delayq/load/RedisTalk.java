package io.delayq.load;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A few questions to a Redis; waits for each answer. */
public final class RedisTalk implements AutoCloseable {
    private static final Pattern CALL_KEY = Pattern.compile(":call:[^:]+:([a-z]+)$");

    private final Socket socket = new Socket();
    private final InputStream in;

    public RedisTalk(int port, String password) throws IOException {
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 2_000);
        socket.setSoTimeout(60_000);
        in = new BufferedInputStream(socket.getInputStream());
        if (password != null) {
            ask("AUTH", password);
        }
    }

    public Object ask(String... words) throws IOException {
        ByteArrayOutputStream command = new ByteArrayOutputStream();
        command.writeBytes(("*" + words.length + "\r\n").getBytes(StandardCharsets.UTF_8));
        for (String word : words) {
            byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
            command.writeBytes(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.UTF_8));
            command.writeBytes(bytes);
            command.writeBytes(new byte[] {'\r', '\n'});
        }
        socket.getOutputStream().write(command.toByteArray());
        return answer();
    }

    /** What the data take, without the buffers of clients and of the file, which come and go. */
    public long dataBytes() throws IOException {
        String info = (String) ask("INFO", "memory");
        return field(info, "used_memory") - field(info, "mem_clients_normal") - field(info, "mem_aof_buffer");
    }

    /** Which Redis it is and how it gets its memory, on which its speed depends. */
    public String about() throws IOException {
        return text((String) ask("INFO", "server"), "redis_version") + ", "
                + text((String) ask("INFO", "memory"), "mem_allocator");
    }

    /** Of the slow log. */
    record Entry(String what, long micros) {}

    /** The last ones. */
    List<Entry> slow(int count) throws IOException {
        List<Entry> slow = new ArrayList<>();
        for (Object entry : (List<?>) ask("SLOWLOG", "GET", Integer.toString(count))) {
            List<?> fields = (List<?>) entry;
            slow.add(new Entry(what((List<?>) fields.get(3)), (Long) fields.get(2)));
        }
        return slow;
    }

    /** The command; of a script that is numbered its name, which the key of its last call ends with. */
    private static String what(List<?> words) {
        String command = words.get(0).toString().toLowerCase(Locale.ROOT);
        for (Object word : words) {
            Matcher last = CALL_KEY.matcher(word.toString());
            if (last.find()) {
                return last.group(1);
            }
        }
        return command.equals("evalsha") ? "another script " + words.subList(1, Math.min(12, words.size())) : command;
    }

    private static long field(String info, String name) {
        String text = text(info, name);
        return text.isEmpty() ? 0 : Long.parseLong(text);
    }

    private static String text(String info, String name) {
        for (String line : info.split("\r\n")) {
            if (line.startsWith(name + ":")) {
                return line.substring(name.length() + 1);
            }
        }
        return "";
    }

    private Object answer() throws IOException {
        String line = line();
        char kind = line.charAt(0);
        String rest = line.substring(1);
        switch (kind) {
            case '+':
                return rest;
            case ':':
                return Long.parseLong(rest);
            case '$':
                int length = Integer.parseInt(rest);
                if (length < 0) {
                    return null;
                }
                byte[] bytes = in.readNBytes(length);
                in.readNBytes(2);
                return new String(bytes, StandardCharsets.UTF_8);
            case '*':
                List<Object> all = new ArrayList<>();
                for (int i = Integer.parseInt(rest); i > 0; i--) {
                    all.add(answer());
                }
                return all;
            default:
                throw new IOException("Redis answered " + line);
        }
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\r'; c = in.read()) {
            if (c < 0) {
                throw new IOException("Redis closed the connection");
            }
            line.append((char) c);
        }
        in.read();
        return line.toString();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
