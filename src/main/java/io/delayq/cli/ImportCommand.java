package io.delayq.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        description = {
            "Pushes the jobs of a file, one a line as JSON with its topic, as export writes them.",
            "A job whose id is in use is left as it is, so an import can be repeated. One that is refused does not"
                    + " hold up the others."
        },
        footer = {"", "  delayq import jobs.ndjson", "  delayq export order | delayq import --url http://other:9277 -"})
final class ImportCommand extends RemoteCommand {
    private static final int CHUNK_BYTES = 64 << 10;
    private static final int MOST_SHOWN = 20;
    private static final int EXISTS = 409;

    @Parameters(index = "0", paramLabel = "FILE", description = "One job a line; - reads from standard input.")
    private String file;

    @Option(
            names = "--rejected",
            paramLabel = "FILE",
            description = "Writes there what was said of each job that was refused, one a line.")
    private Path rejectedFile;

    private final LineNumbers numbers = new LineNumbers();
    private BufferedWriter rejectedOut;
    private Progress progress;
    /** Counted on the thread that reads the answer, and looked at when that has ended. */
    private long accepted;

    private long existing;
    private long rejected;
    private boolean complete;

    ImportCommand(Context context) {
        super(context);
    }

    @Override
    void run(Remote remote) {
        boolean standard = file.equals("-");
        try (InputStream in = standard ? context.in() : Files.newInputStream(Path.of(file));
                BufferedWriter out = rejectedFile == null ? null : Files.newBufferedWriter(rejectedFile);
                Progress bar =
                        new Progress(spec.commandLine().getErr(), context, standard ? -1 : Files.size(Path.of(file)))) {
            progress = bar;
            rejectedOut = out;
            send(remote, in);
        } catch (java.nio.file.NoSuchFileException e) {
            throw Failure.of("there is no file " + e.getFile());
        } catch (IOException | UncheckedIOException e) {
            throw Failure.of("cannot read or write a file: " + e.getMessage());
        }
        report();
    }

    private void send(Remote remote, InputStream in) throws IOException {
        try (Upload upload = new Upload(this::row)) {
            begin(remote, upload);
            byte[] bytes = new byte[CHUNK_BYTES];
            for (int length = in.read(bytes); length >= 0; length = in.read(bytes)) {
                numbers.read(bytes, length);
                if (length > 0 && !upload.send(bytes, length)) {
                    break;
                }
                progress.bytes(length);
            }
            upload.end();
            if (upload.status() != 0 && upload.status() != 200) {
                throw Failure.of(remote.refusal(new Remote.Answer(upload.status(), upload.problem())));
            }
            if (!complete || upload.failure() != null) {
                throw Failure.of(endedEarly(upload.failure()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failure.of("interrupted");
        }
    }

    private void begin(Remote remote, Upload upload) {
        try {
            upload.begin(remote.url(), options.token(context));
        } catch (Exception e) {
            throw Failure.of(remote.nobody());
        }
    }

    private String endedEarly(String why) {
        return "the connection ended before all was answered" + (why == null ? "" : " (" + why + ")") + ": " + counts()
                + ". Import again: jobs with an id that are there already are left as they are; ones without an id"
                + " would be there twice, so leave out the first " + numbers.of(answered() - 1) + " lines";
    }

    private void row(JsonNode row) {
        if (!row.has("index")) {
            complete = row.path("accepted").asLong(-1) == accepted && answered() == numbers.jobs();
            return;
        }
        int status = row.path("status").asInt();
        progress.jobs(1);
        if (status == 201) {
            accepted++;
        } else if (status == EXISTS) {
            existing++;
        } else {
            rejected++;
            refused(numbers.of(row.path("index").asLong()), row);
        }
    }

    private long answered() {
        return accepted + existing + rejected;
    }

    private void refused(long line, JsonNode row) {
        if (rejected <= MOST_SHOWN) {
            progress.say(Texts.plain("line " + line + ": " + row.path("status").asInt() + " "
                    + row.path("detail").asText()));
        } else if (rejected == MOST_SHOWN + 1) {
            progress.say("further refused jobs are counted"
                    + (rejectedFile == null ? "; --rejected FILE would keep them" : ""));
        }
        if (rejectedOut != null) {
            try {
                rejectedOut.write(((ObjectNode) row).put("line", line) + "\n");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private String counts() {
        return accepted + " stored, " + existing + " already there, " + rejected + " refused";
    }

    private void report() {
        long millis = progress.millis();
        if (options.json()) {
            out().println(Texts.object()
                    .put("accepted", accepted)
                    .put("existing", existing)
                    .put("rejected", rejected));
        } else {
            out().println(counts() + " in " + Texts.about(millis));
        }
        out().flush();
        if (rejected > 0) {
            throw Failure.of(rejected + " of " + answered() + " jobs were refused"
                    + (rejectedFile == null ? "" : "; " + rejectedFile + " has them"));
        }
    }
}
