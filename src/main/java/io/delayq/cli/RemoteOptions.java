package io.delayq.cli;

import java.net.URI;
import picocli.CommandLine.Option;

/** Where the server is, and how to answer; the same for all commands that ask one. */
final class RemoteOptions {
    static final String DEFAULT_URL = "http://127.0.0.1:9277";

    @Option(
            names = "--url",
            paramLabel = "URL",
            description = "The server; otherwise DELAYQ_URL, otherwise " + DEFAULT_URL + ".")
    private String url;

    @Option(
            names = "--token",
            paramLabel = "TOKEN",
            description = "Otherwise DELAYQ_TOKEN, which other users of the machine do not see.")
    private String token;

    @Option(names = "--json", description = "The server's answer as it is, for scripts.")
    private boolean json;

    boolean json() {
        return json;
    }

    /** Null: neither the option nor the variable is set. */
    String given(Context context) {
        String found = url != null ? url : context.env().get("DELAYQ_URL");
        return found == null || found.isBlank() ? null : found;
    }

    String url(Context context) {
        String found = given(context);
        String chosen = (found == null ? DEFAULT_URL : found).replaceFirst("/+$", "");
        try {
            URI uri = URI.create(chosen);
            boolean http = "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
            if (http && uri.getHost() != null && uri.getRawQuery() == null && uri.getRawFragment() == null) {
                return chosen;
            }
        } catch (IllegalArgumentException e) {
            // said below
        }
        throw Failure.usage("--url or DELAYQ_URL is \"" + chosen + "\"; expected an address such as " + DEFAULT_URL);
    }

    /** Null: none. */
    String token(Context context) {
        String found = token != null ? token : context.env().get("DELAYQ_TOKEN");
        return found == null || found.isBlank() ? null : found;
    }

    Remote remote(Context context) {
        return new Remote(url(context), token(context));
    }
}
