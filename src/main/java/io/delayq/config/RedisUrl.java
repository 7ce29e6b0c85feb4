package io.delayq.config;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** The address of a Redis server, in the form that the client takes. */
final class RedisUrl {
    static final String EXPECTED =
            "redis://host:port or rediss://user:password@host:port/database, with special characters percent-encoded;"
                    + " several are separated by commas";

    private static final Pattern BETWEEN = Pattern.compile(",\\s*(?=rediss?://)");
    private static final Pattern SCHEME = Pattern.compile("rediss?");
    private static final Pattern DATABASE = Pattern.compile("(/[0-9]{0,4})?");

    private RedisUrl() {}

    /** At the commas before which an address ends and behind which one begins: a password may have one too. */
    static List<String> split(String text) {
        return List.of(BETWEEN.split(text, -1));
    }

    static String parse(Object given) throws Refused {
        List<String> texts = split(Values.text(given));
        for (String text : texts) {
            one(text);
        }
        return String.join(",", texts);
    }

    /** Whether addresses that were parsed can be those of nodes which take each other's place. */
    static boolean areAlike(List<String> texts) {
        return texts.stream()
                        .map(URI::create)
                        .map(uri -> Arrays.asList(uri.getScheme(), uri.getRawUserInfo(), database(uri)))
                        .distinct()
                        .count()
                <= 1;
    }

    /** Of an address that was parsed; none is the first one. */
    static int database(URI uri) {
        return uri.getPath().length() < 2 ? 0 : Integer.parseInt(uri.getPath().substring(1));
    }

    /**
     * A query is refused although the client would take it: it is a second place for a password, which logs would show.
     */
    private static URI one(String text) throws Refused {
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
        return uri;
    }

    static String shown(String text) {
        return shown(split(text));
    }

    private static String shown(List<String> texts) {
        List<String> all = texts.stream().map(RedisUrl::shownOne).toList();
        // what follows a comma that was taken wrong may be half a password
        return all.size() > 1 && texts.stream().anyMatch(text -> !isAddress(text))
                ? Values.HIDDEN
                : String.join(",", all);
    }

    private static boolean isAddress(String text) {
        URI uri = uri(text);
        return uri != null && uri.getHost() != null;
    }

    /** Without user, password and query; without anything but the scheme where it cannot be told what is what. */
    private static String shownOne(String text) {
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
