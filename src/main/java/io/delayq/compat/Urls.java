package io.delayq.compat;

import io.delayq.http.CallbackReader;
import io.delayq.http.Targets;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Addresses to be called, of clients that need not encode them. */
final class Urls {
    private static final String TO_ENCODE = "\"<>\\^`{|}";

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private Urls() {}

    /**
     * The address with what cannot stand in one percent-encoded.
     *
     * @param name what its client calls it
     * @throws IllegalArgumentException if it is none, or may not be called
     */
    static String checked(String name, String given, Targets targets) {
        StringBuilder url = new StringBuilder();
        for (byte b : given.strip().getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            if (c <= ' ' || c > '~' || TO_ENCODE.indexOf(c) >= 0) {
                url.append('%').append(HEX.toHexDigits(b));
            } else {
                url.append(c);
            }
        }
        String fault = CallbackReader.urlFault(url.toString());
        if (fault == null) {
            fault = targets.fault(url.toString());
        }
        if (fault != null) {
            throw new IllegalArgumentException(name + ": " + fault);
        }
        return url.toString();
    }
}
