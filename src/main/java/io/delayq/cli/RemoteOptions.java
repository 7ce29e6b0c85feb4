package io.delayq.cli;

import io.delayq.config.ServerAddress;
import java.net.URI;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Where the server is, and how to answer; the same for all commands that ask one. */
final class RemoteOptions {
    static final String DEFAULT_URL = "http://127.0.0.1:9277";

    @Option(
            names = "--url",
            paramLabel = "URL",
            description =
                    "The server; otherwise DELAYQ_URL, otherwise where the settings http.host and http.port (file,"
                            + " environment) say: " + DEFAULT_URL + " if nothing is set.")
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

    /** @param file with the server's settings; null: the usual one, if it is there */
    private String url(Context context, Path file) {
        String found = given(context);
        if (found == null) {
            return url(ServerAddress.of(file, context.env()));
        }
        String chosen = found.replaceFirst("/+$", "");
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

    private static String url(ServerAddress address) {
        if (address.port() == 0) {
            throw Failure.of("http.port is 0, so the server's port is not known; name it with --url");
        }
        return address.url();
    }

    Remote remote(Context context, Path file) {
        return new Remote(url(context, file), token(context));
    }
}
