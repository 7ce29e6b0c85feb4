package io.delayq.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintWriter;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

@Command(description = "Shows a job.")
final class GetCommand extends RemoteCommand {
    private static final Set<String> TIMES = Set.of("due", "created", "deadline");
    private static final Set<String> SPANS = Set.of("ttr", "ttl");
    private static final int NAMES = 11;

    @Parameters(index = "0", paramLabel = "TOPIC")
    private String topic;

    @Parameters(index = "1", paramLabel = "ID")
    private String id;

    GetCommand(Context context) {
        super(context);
    }

    @Override
    void run(Remote remote) {
        Remote.Answer answer = remote.get(Remote.job(topic, id));
        answer(answer, () -> show(out(), answer.json()));
    }

    static void show(PrintWriter out, JsonNode job) {
        job.fields().forEachRemaining(field -> {
            if (!field.getKey().equals("log") && !field.getKey().equals("body")) {
                line(out, field.getKey(), value(field.getKey(), field.getValue()));
            }
        });
        for (JsonNode run : job.path("log")) {
            long start = run.path("start").asLong();
            String error = run.path("error").asText("");
            line(
                    out,
                    "attempt " + run.path("attempt").asInt(),
                    run.path("outcome").asText() + " after "
                            + Texts.about(run.path("end").asLong() - start) + ", began " + Texts.when(start)
                            + (error.isEmpty() ? "" : ": " + Texts.plain(error)));
        }
        if (job.has("body")) {
            line(out, "body", Texts.pretty(job.path("body")).replace("\n", "\n" + " ".repeat(NAMES)));
        }
    }

    private static void line(PrintWriter out, String name, String value) {
        out.println(name + " ".repeat(Math.max(1, NAMES - name.length())) + value);
    }

    private static String retry(JsonNode retry) {
        int most = retry.path("maxAttempts").asInt();
        JsonNode backoff = retry.path("backoff");
        StringBuilder waits = new StringBuilder();
        if (backoff.isArray()) {
            backoff.forEach(wait -> waits.append(' ').append(Texts.about(wait.asLong())));
        } else {
            waits.append(' ')
                    .append(Texts.about(backoff.path("base").asLong()))
                    .append(", times ")
                    .append(backoff.path("factor").asText())
                    .append(", up to ")
                    .append(Texts.about(backoff.path("max").asLong()))
                    .append(", jitter ")
                    .append(backoff.path("jitter").asText());
        }
        return (most == 0 ? "no limit" : "up to " + most + " attempts") + "; backoff" + waits;
    }

    private static String value(String name, JsonNode value) {
        if (TIMES.contains(name)) {
            return Texts.when(value.asLong());
        }
        if (SPANS.contains(name)) {
            return Texts.span(value.asLong());
        }
        if (name.equals("retry")) {
            return retry(value);
        }
        return Texts.plain(value.isTextual() ? value.asText() : value.toString());
    }
}
