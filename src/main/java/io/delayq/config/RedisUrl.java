package io.delayq.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.regex.Pattern;

/** The address of a Redis server, in the form that the client takes. */
final class RedisUrl {
    static final String EXPECTED =
            "redis://host:port or rediss://user:password@host:port/database, with special characters percent-encoded";

    private static final Pattern SCHEME = Pattern.compile("rediss?");
    private static final Pattern DATABASE = Pattern.compile("(/[0-9]{0,4})?");

    private RedisUrl() {}

    /**
     * A query is refused although the client would take it: it is a second place for a password, which logs would show.
     */
    static String parse(Object given) throws Refused {
        String text = Values.text(given);
        URI uri = uri(text);
        boolean right = uri != null
                && uri.getScheme() != null
                && SCHEME.matcher(uri.getScheme()).matches()
                && uri.getHost() != null
                && uri.getPort() != 0
                && uri.getPort() <= 65535
                && DATABASE.matcher(uri.getPath()).matches()
                && uri.getRawQuery() == null
                && uri.getRawFragment() == null;
        if (!right) {
            throw new Refused();
        }
        return text;
    }

    /** Without user, password and query; without anything but the scheme where it cannot be told what is what. */
    static String shown(String text) {
        URI uri = uri(text);
        boolean clear = text.indexOf('@') < 0
                || uri != null && uri.getRawUserInfo() != null && text.indexOf('@') == text.lastIndexOf('@');
        if (uri != null && uri.getHost() != null && clear) {
            String port = uri.getPort() < 0 ? "" : ":" + uri.getPort();
            return uri.getScheme() + "://" + uri.getHost() + port + uri.getPath();
        }
        if (text.indexOf('@') < 0 && text.indexOf('?') < 0 && text.indexOf('#') < 0) {
            return text;
        }
        int end = text.indexOf("://");
        return (end < 0 ? "" : text.substring(0, end + 3)) + Values.HIDDEN;
    }

    private static URI uri(String text) {
        try {
            return new URI(text);
        } catch (URISyntaxException e) {
            return null;
        }
    }
}
