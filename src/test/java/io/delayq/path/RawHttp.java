package io.delayq.path;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** One connection, byte by byte, for what a polite HTTP client would not send. */
final class RawHttp implements AutoCloseable {
    private static final int LIMIT_MILLIS = 10_000;

    private final Socket socket = new Socket();
    private final InputStream in;

    /** @param headers by lower-case name, the values of one given more than once joined by a comma */
    record Answer(int status, Map<String, String> headers, String text) {
        String header(String name) {
            return headers.get(name.toLowerCase(Locale.ROOT));
        }
    }

    RawHttp(int port) {
        try {
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(LIMIT_MILLIS);
            socket.connect(new InetSocketAddress("127.0.0.1", port), LIMIT_MILLIS);
            in = new BufferedInputStream(socket.getInputStream());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Sends one request on a connection of its own. */
    static Answer once(int port, String request) {
        try (RawHttp http = new RawHttp(port)) {
            Answer answer = http.send(request).read();
            check(request, answer);
            return answer;
        }
    }

    /** What is a request at all is to be answered as openapi.yaml says. */
    private static void check(String request, Answer answer) {
        OpenApi.Exchange exchange = exchange(request, answer);
        if (exchange != null) {
            OpenApi.served().check(exchange);
        }
    }

    /** Null if what was sent is no request. */
    static OpenApi.Exchange exchange(String request, Answer answer) {
        String[] parts = request.split("\r\n\r\n", 2);
        String[] lines = parts[0].split("\r\n");
        String[] line = lines[0].split(" ");
        if (line.length != 3 || !line[1].startsWith("/") || parts.length < 2) {
            return null;
        }
        String type = null;
        boolean chunked = false;
        for (int i = 1; i < lines.length; i++) {
            String[] header = lines[i].split(":", 2);
            type = header[0].equalsIgnoreCase("Content-Type") && header.length == 2 ? header[1].strip() : type;
            chunked |= header[0].equalsIgnoreCase("Transfer-Encoding");
        }
        return new OpenApi.Exchange(
                line[0], line[1], type, chunked ? null : parts[1], answer.status(), answer.headers(), answer.text());
    }

    /** A request with these header lines, a Host and, if there is a body, its length. */
    static String request(String method, String target, String body, String... headers) {
        StringBuilder text = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
        boolean host = false;
        for (String header : headers) {
            host |= header.toLowerCase(Locale.ROOT).startsWith("host:");
            text.append(header).append("\r\n");
        }
        if (!host) {
            text.append("Host: localhost\r\n");
        }
        if (body != null) {
            text.append("Content-Length: ")
                    .append(body.getBytes(StandardCharsets.UTF_8).length)
                    .append("\r\n");
        }
        return text + "\r\n" + (body == null ? "" : body);
    }

    RawHttp send(String text) {
        return send(text.getBytes(StandardCharsets.UTF_8));
    }

    RawHttp send(byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().flush();
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The next answer, 100 Continue among them. */
    Answer read() {
        return read(false);
    }

    /** The next answer; one to a HEAD has no body, whatever its headers say. */
    Answer read(boolean head) {
        try {
            String line = line();
            int status = Integer.parseInt(line.split(" ")[1]);
            Map<String, String> headers = new TreeMap<>();
            for (String header = line(); !header.isEmpty(); header = line()) {
                String[] parts = header.split(":", 2);
                headers.merge(parts[0].toLowerCase(Locale.ROOT), parts[1].strip(), (a, b) -> a + ", " + b);
            }
            if (!head && headers.getOrDefault("transfer-encoding", "").equals("chunked")) {
                return new Answer(status, headers, chunks());
            }
            int length = head ? 0 : Integer.parseInt(headers.getOrDefault("content-length", "0"));
            byte[] body = in.readNBytes(length);
            if (body.length < length) {
                throw new EOFException("the answer ends after " + body.length + " of " + length + " bytes");
            }
            return new Answer(status, headers, new String(body, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String chunks() throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        for (int size = Integer.parseInt(line(), 16); size > 0; size = Integer.parseInt(line(), 16)) {
            text.write(in.readNBytes(size));
            line();
        }
        line();
        return text.toString(StandardCharsets.UTF_8);
    }

    /** The next answer, which is a stream: its text up to where a part of it has come. */
    Answer readUntil(String part) {
        try {
            int status = Integer.parseInt(line().split(" ")[1]);
            Map<String, String> headers = new TreeMap<>();
            for (String header = line(); !header.isEmpty(); header = line()) {
                headers.put(header.split(":", 2)[0].toLowerCase(Locale.ROOT), header.split(":", 2)[1].strip());
            }
            StringBuilder text = new StringBuilder();
            while (text.indexOf(part) < 0 || !text.toString().endsWith("\n\n")) {
                text.append(new String(in.readNBytes(Integer.parseInt(line(), 16)), StandardCharsets.UTF_8));
                line();
            }
            return new Answer(status, headers, text.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until the server ends the connection; what it says before is dropped. */
    boolean ends() {
        try {
            in.transferTo(java.io.OutputStream.nullOutputStream());
            return true;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private String line() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                throw new EOFException("the connection ended within an answer: " + out);
            }
            if (c != '\r') {
                out.write(c);
            }
        }
        return out.toString(StandardCharsets.ISO_8859_1);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
