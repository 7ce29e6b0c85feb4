package io.delayq.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        description = {
            "Writes all delayed, ready and reserved jobs, one a line, as import takes them.",
            "Jobs that change meanwhile may come twice, which import tolerates, or be missing."
        },
        footer = {"", "  delayq export order -o order.ndjson", "  delayq export | gzip > all.ndjson.gz"})
final class ExportCommand extends RemoteCommand {
    private static final int CHUNK_BYTES = 64 << 10;

    @Parameters(index = "0", arity = "0..1", paramLabel = "TOPIC", description = "Left out: all topics.")
    private String topic;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Otherwise standard output. It is FILE.part until it is complete.")
    private Path file;

    ExportCommand(Context context) {
        super(context);
    }

    @Override
    void run(Remote remote) {
        String path = "/v1/export" + (topic == null ? "" : "?topic=" + Remote.encode(topic));
        Path part = file == null ? null : file.resolveSibling(file.getFileName() + ".part");
        try (InputStream in = remote.stream(path);
                OutputStream out = part == null ? standard() : Files.newOutputStream(part)) {
            String summary = copy(in, out);
            if (file != null) {
                spec.commandLine().getErr().println(summary);
            }
        } catch (IOException e) {
            throw Failure.of("cannot write" + (part == null ? "" : " " + part) + ": " + e.getMessage());
        }
        rename(part);
    }

    /** Bytes as they come: the writer for text would write in the terminal's encoding. Not closed at the end. */
    private static OutputStream standard() {
        return new FilterOutputStream(System.out) {
            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                System.out.write(bytes, from, length);
                if (System.out.checkError()) {
                    throw new IOException("whoever read it has gone");
                }
            }

            @Override
            public void close() {
                System.out.flush();
            }
        };
    }

    private String copy(InputStream in, OutputStream out) throws IOException {
        try (Progress progress = new Progress(spec.commandLine().getErr(), context, -1)) {
            byte[] bytes = new byte[CHUNK_BYTES];
            for (int length = read(in, bytes); length >= 0; length = read(in, bytes)) {
                out.write(bytes, 0, length);
                int lines = 0;
                for (int i = 0; i < length; i++) {
                    lines += bytes[i] == '\n' ? 1 : 0;
                }
                progress.bytes(length);
                progress.jobs(lines);
            }
            return progress.jobs() + " jobs in " + Texts.about(progress.millis());
        }
    }

    private int read(InputStream in, byte[] bytes) {
        try {
            return in.read(bytes);
        } catch (IOException e) {
            throw Failure.of("the export is not complete, the connection ended early"
                    + (file == null ? "" : "; what came is in " + file + ".part") + ". Try again");
        }
    }

    private void rename(Path part) {
        if (part == null) {
            return;
        }
        try {
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw Failure.of("cannot rename " + part + " to " + file + ": " + e.getMessage());
        }
    }
}
