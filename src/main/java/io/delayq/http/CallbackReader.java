package io.delayq.http;

import com.fasterxml.jackson.core.JsonToken;
import io.delayq.job.Callback;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Reads {@code callback}. Whether its name leads where it may go is asked afterwards, see {@link Targets#check}. */
public final class CallbackReader {
    private static final List<String> FIELDS = List.of("url", "method", "headers");
    private static final Set<String> METHODS = Set.of("GET", "POST", "PUT");
    private static final Set<String> RESERVED = Set.of("host", "content-length", "transfer-encoding", "connection");
    private static final List<String> RESERVED_PREFIXES = List.of("webhook-", "delayq-");
    private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~";
    private static final int MAX_URL = 2 << 10;
    private static final int MAX_HEADERS = 20;
    private static final int MAX_HEADER_BYTES = 4 << 10;
    private static final int MAX_PORT = 65_535;

    private final JsonReader in;
    private final Targets targets;
    private String url;
    private boolean urlGiven;
    private String method = Callback.DEFAULT_METHOD;
    private final Map<String, String> headers = new LinkedHashMap<>();
    private final Set<String> names = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
    private int headerCount;
    private int headerBytes;

    private CallbackReader(JsonReader in, Targets targets) {
        this.in = in;
        this.targets = targets;
    }

    /** Null only along with a fault. */
    public static Callback read(JsonReader in, Targets targets) {
        CallbackReader reader = new CallbackReader(in, targets);
        if (in.object(FIELDS, reader::field) && !reader.urlGiven) {
            in.faultAt("url", "expected an http or https address; a callback needs one");
        }
        return reader.url == null ? null : new Callback(reader.url, reader.method, reader.headers);
    }

    private boolean field(String name) {
        switch (name) {
            case "url" -> {
                urlGiven = true;
                url = url();
            }
            case "method" -> method = method();
            case "headers" -> headers();
            default -> {
                return false;
            }
        }
        return true;
    }

    private String url() {
        String text = in.text("an http or https address");
        String fault = text == null ? null : urlFault(text);
        if (text != null && fault == null) {
            fault = targets.fault(text);
        }
        if (fault != null) {
            in.fault(fault);
            return null;
        }
        return text;
    }

    /** What is wrong with an address wherever it leads, to be read after its name; null if nothing is. */
    public static String urlFault(String text) {
        if (text.length() > MAX_URL) {
            return "expected at most 2 KiB, found " + text.length() + " characters";
        }
        if (text.chars().anyMatch(c -> c > 0x7e)) {
            return "expected ASCII; percent-encode other characters, and write the host in its xn-- form";
        }
        URI uri;
        try {
            uri = new URI(text);
        } catch (URISyntaxException e) {
            return "expected an http or https address; this is not a valid URI";
        }
        String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
        if (!scheme.equals("http") && !scheme.equals("https")) {
            return "expected an absolute address that begins with http:// or https://";
        }
        if (uri.getRawUserInfo() != null
                || (uri.getRawAuthority() != null && uri.getRawAuthority().contains("@"))) {
            return "expected an address without user and password; use a header such as Authorization";
        }
        if (uri.getHost() == null || uri.getHost().isEmpty()) {
            return "expected an address with a host (letters, digits, dots and dashes, or an IP address)";
        }
        return uri.getPort() == 0 || uri.getPort() > MAX_PORT ? "expected a port from 1 to 65535" : null;
    }

    private String method() {
        if (in.token() != JsonToken.VALUE_STRING || !METHODS.contains(in.value())) {
            in.expected("GET, POST or PUT");
            return Callback.DEFAULT_METHOD;
        }
        return in.value();
    }

    private void headers() {
        if (in.token() != JsonToken.START_OBJECT) {
            in.expected("an object of header names and texts");
            return;
        }
        in.object(List.of(), this::header);
        if (headerCount > MAX_HEADERS) {
            in.fault("expected at most 20 headers, found " + headerCount);
        }
        if (headerBytes > MAX_HEADER_BYTES) {
            in.fault("expected at most 4 KiB of names and values, found " + headerBytes + " bytes");
        }
    }

    private boolean header(String name) {
        headerCount++;
        String value = in.text("text");
        String fault = nameFault(name);
        if (fault == null && value != null && !value.chars().allMatch(c -> c >= 0x20 && c < 0x7f)) {
            // The value is not quoted: it may be a secret.
            fault = "expected a value of printable ASCII, without line breaks and control characters";
        }
        if (fault != null) {
            in.fault(fault);
        } else if (value != null) {
            headerBytes += name.length() + value.length();
            headers.put(name, value);
        }
        return true;
    }

    private String nameFault(String name) {
        if (name.isEmpty() || !name.chars().allMatch(CallbackReader::isTokenChar)) {
            return "expected a header name of letters, digits and " + TOKEN_MARKS;
        }
        String lower = name.toLowerCase(Locale.ROOT);
        if (RESERVED.contains(lower) || RESERVED_PREFIXES.stream().anyMatch(lower::startsWith)) {
            return "expected a header that HTTP and the signature do not need themselves; leave this one out";
        }
        return names.add(name) ? null : "expected each header once; its name is given in another spelling too";
    }

    private static boolean isTokenChar(int c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || TOKEN_MARKS.indexOf(c) >= 0;
    }
}
