package io.delayq.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** What a push and a put have in common. */
final class JobFields {
    @ArgGroup
    private When when;

    @Option(names = "--priority", paramLabel = "P", description = "high, normal or low.")
    private String priority;

    @Option(names = "--ttr", paramLabel = "DURATION", description = "How long a consumer may take for it.")
    private String ttr;

    @Option(names = "--ttl", paramLabel = "DURATION", description = "How long after its time it expires.")
    private String ttl;

    @Option(names = "--max-attempts", paramLabel = "N", description = "Deliveries before it is dead; 0: no limit.")
    private Integer maxAttempts;

    @Option(names = "--group", paramLabel = "NAME", description = "To cancel many at once.")
    private String group;

    /** When a job runs. */
    static final class When {
        @Option(
                names = {"--in", "--delay"},
                paramLabel = "DURATION",
                description = "Such as 250ms, 30s, 15m, 24h, 7d, 1h30m; digits alone are ms.")
        private String in;

        @Option(
                names = "--at",
                paramLabel = "TIME",
                description = "Such as 2030-01-31T12:00:00Z, or milliseconds since 1970.")
        private String at;

        void write(ObjectNode out) {
            if (in != null) {
                out.put("delay", Texts.millis("--in", in));
            } else if (at != null) {
                out.put("at", Texts.time("--at", at));
            }
        }
    }

    /** @param bodyOrNull JSON text, kept as spelled; {@code -} for standard input; null: none */
    ObjectNode write(String bodyOrNull, InputStream in) {
        ObjectNode job = Texts.object();
        if (when != null) {
            when.write(job);
        }
        if (priority != null) {
            job.put("priority", priority);
        }
        if (ttr != null) {
            job.put("ttr", Texts.millis("--ttr", ttr));
        }
        if (ttl != null) {
            job.put("ttl", Texts.millis("--ttl", ttl));
        }
        if (maxAttempts != null) {
            job.putObject("retry").put("maxAttempts", maxAttempts);
        }
        if (group != null) {
            job.put("group", group);
        }
        if (bodyOrNull != null) {
            job.putRawValue("body", new RawValue(body(bodyOrNull, in)));
        }
        return job;
    }

    private static String body(String given, InputStream in) {
        String text = given.equals("-") ? read(in) : given;
        if (Texts.json(text).isMissingNode()) {
            throw Failure.usage("the body is not JSON; quote a text twice, such as '\"hello\"'");
        }
        return text;
    }

    private static String read(InputStream in) {
        try {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw Failure.of("standard input cannot be read: " + e.getMessage());
        }
    }
}
