package io.delayq.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        description = {
            "Takes jobs that are ready, each under a lease.",
            "Settle each with ack or nack before its lease ends, or it is delivered again."
        })
final class ReserveCommand extends RemoteCommand {
    @Parameters(index = "0", paramLabel = "TOPIC")
    private String topic;

    @Option(names = "--max", paramLabel = "N", defaultValue = "1", description = "Most jobs to take; 1 if left out.")
    private int max;

    @Option(
            names = "--wait",
            paramLabel = "DURATION",
            defaultValue = "0ms",
            description = "How long to wait while there is none, up to 60s.")
    private String wait;

    ReserveCommand(Context context) {
        super(context);
    }

    @Override
    void run(Remote remote) {
        long millis = Texts.millis("--wait", wait);
        ObjectNode wish = Texts.object().put("max", max).put("wait", millis);
        Remote.Answer answer = remote.call(
                "POST", Remote.topic(topic) + "/reserve", wish, Duration.ofMillis(Math.min(60_000, millis)));
        answer(answer, () -> show(answer.json().path("jobs")));
    }

    private void show(JsonNode jobs) {
        if (jobs.isEmpty()) {
            out().println("no job of " + Texts.plain(topic) + " is ready");
        }
        for (JsonNode job : jobs) {
            int most = job.path("maxAttempts").asInt();
            String id = Texts.plain(job.path("id").asText());
            out().println(Texts.plain(topic) + " " + id + "  attempt "
                    + job.path("attempt").asInt() + (most == 0 ? "" : " of " + most) + ", due "
                    + Texts.when(job.path("due").asLong()));
            out().println("  lease  " + job.path("lease").asText());
            out().println("  until  " + Texts.when(job.path("deadline").asLong()));
            out().println("  body   " + Texts.plain(job.path("body").toString()));
        }
    }
}
