package io.delayq.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import io.delayq.client.DelayqClient;
import io.delayq.client.DelayqException;
import io.delayq.client.DelayqOptions;
import io.delayq.client.HandlerOptions;
import io.delayq.client.Handling;
import io.delayq.client.Job;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        description = {
            "Shows a topic's jobs as they come, each with how late it is by this machine's clock.",
            "Watching is consuming: other consumers do not get what is shown here. With --ack a job is done when it"
                    + " is shown. Without, it is kept until watch ends and then goes to others; this has used one"
                    + " of its attempts, and after " + WatchCommand.MOST_HELD + " jobs no more come."
        },
        footer = {"", "  delayq watch order --ack"})
final class WatchCommand extends RemoteCommand {
    static final int MOST_HELD = 1000;
    private static final int CONCURRENCY = 100;
    private static final long CLOSE_SECONDS = 5;

    @Parameters(index = "0", paramLabel = "TOPIC")
    private String topic;

    @Option(names = "--ack", description = "Each job shown is done.")
    private boolean ack;

    @Option(
            names = {"-n", "--count"},
            paramLabel = "N",
            description = "Ends after so many jobs; without it at Ctrl-C.")
    private Integer count;

    private final CountDownLatch ended = new CountDownLatch(1);
    /** Touched on the client's context only. */
    private int shown;

    WatchCommand(Context context) {
        super(context);
    }

    @Override
    void run(Remote remote) {
        if (count != null && (count < 1 || (!ack && count > MOST_HELD))) {
            throw Failure.usage("--count is " + count + "; expected at least 1"
                    + (ack ? "" : " and at most " + MOST_HELD + " without --ack"));
        }
        // the client would wait for a server that is away
        remote.get("/health/live");
        boolean unknown = remote.ask("GET", Remote.topic(topic), null, Duration.ZERO)
                .json()
                .path("type")
                .asText()
                .equals("/problems/topic-not-found");
        DelayqClient client =
                DelayqClient.create(new DelayqOptions().url(remote.url()).token(options.token(context)));
        Thread stop = new Thread(() -> stopped(client), "stop");
        try {
            Handling handling = client.handle(topic, handlerOptions(), this::show);
            Loading.await(handling.ready());
            Runtime.getRuntime().addShutdownHook(stop);
            if (!options.json()) {
                say("watching " + topic + (unknown ? " (no such topic yet)" : "") + " at " + remote.url()
                        + (ack ? ", jobs shown are done" : "") + "; Ctrl-C ends");
            }
            ended.await();
            Runtime.getRuntime().removeShutdownHook(stop);
        } catch (DelayqException e) {
            throw remote.refused(e.status(), e.detail());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            close(client);
        }
    }

    private HandlerOptions handlerOptions() {
        if (!ack) {
            int most = count == null ? MOST_HELD : count;
            return new HandlerOptions().concurrency(most).closeTimeout(Duration.ofMillis(1));
        }
        return new HandlerOptions()
                .concurrency(count == null ? CONCURRENCY : Math.min(count, CONCURRENCY))
                .closeTimeout(Duration.ofSeconds(1));
    }

    private Future<?> show(Job job) {
        if (count != null && shown >= count) {
            // came along with the last one; goes back when the connection ends
            return Promise.promise().future();
        }
        long late = System.currentTimeMillis() - job.due().toEpochMilli();
        out().println(options.json() ? json(job, late) : line(job, late));
        shown++;
        if (out().checkError()) {
            // whoever reads our output has gone and has not seen it
            ended.countDown();
            return Promise.promise().future();
        }
        if (count != null && shown >= count) {
            ended.countDown();
        }
        if (!ack && count == null && shown == MOST_HELD) {
            say(MOST_HELD + " jobs are kept, no more come; end with Ctrl-C, or use --ack");
        }
        return ack ? Future.succeededFuture() : Promise.promise().future();
    }

    private static String line(Job job, long late) {
        return LocalTime.now().truncatedTo(ChronoUnit.MILLIS) + "  " + Texts.plain(job.id()) + "  "
                + (late < 0 ? "early " + Texts.about(-late) : "late " + Texts.about(late))
                + (job.attempt() > 1 ? "  attempt " + job.attempt() : "") + "  "
                + Texts.plain(job.body().text());
    }

    private static String json(Job job, long late) {
        ObjectNode line = Texts.object()
                .put("topic", job.topic())
                .put("id", job.id())
                .put("lease", job.lease())
                .put("attempt", job.attempt())
                .put("maxAttempts", job.maxAttempts())
                .put("due", job.due().toEpochMilli())
                .put("deadline", job.deadline().toEpochMilli())
                .put("late", late);
        line.putRawValue("body", new RawValue(job.body().text()));
        return line.toString();
    }

    private void say(String text) {
        spec.commandLine().getErr().println(text);
        spec.commandLine().getErr().flush();
    }

    private void stopped(DelayqClient client) {
        if (context.terminal()) {
            // the terminal shows ^C, and the prompt would stand behind it
            say("");
        }
        close(client);
    }

    private void close(DelayqClient client) {
        try {
            client.close().toCompletionStage().toCompletableFuture().get(CLOSE_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
            say("the connection was not closed cleanly: " + e.getMessage());
        }
    }
}
