package io.delayq.cli;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Optional;

/** Names the process of a server in the background; a file whose process is gone counts for nothing. */
public final class PidFile {
    /** Tells a server which pid file is its own, so that it takes the file away when it stops. */
    static final String PROPERTY = "delayq.pid.file";

    private final Path file;

    PidFile(Path file) {
        this.file = file;
    }

    Path file() {
        return file;
    }

    /** The living server that the file names. */
    Optional<Long> running() {
        try {
            return ProcessHandle.of(Long.parseLong(Files.readString(file).strip()))
                    .filter(ProcessHandle::isAlive)
                    .filter(PidFile::isServer)
                    .map(ProcessHandle::pid);
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Its number may have gone to another program. Where the system does not tell what runs, it is taken for ours. */
    private static boolean isServer(ProcessHandle process) {
        return process.info()
                .arguments()
                .map(words -> Arrays.stream(words).anyMatch(word -> word.contains("delayq")))
                .orElse(true);
    }

    void write(long pid) throws IOException {
        Files.writeString(file, pid + "\n");
    }

    /** Keeps a second start out until it is closed. A file of its own: closing a file gives its locks free. */
    FileChannel lock() throws IOException {
        FileChannel channel = FileChannel.open(
                file.resolveSibling("delayq.pid.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                return channel;
            }
        } catch (OverlappingFileLockException e) {
            // another thread of this process has it
        }
        channel.close();
        throw Failure.of("another start with the pid file " + file + " is under way; wait for it");
    }

    /** Called by a server that stops: takes its own file away. */
    public static void removeOwn() {
        String name = System.getProperty(PROPERTY);
        if (name == null) {
            return;
        }
        try {
            Path own = Path.of(name);
            if (Files.readString(own)
                    .strip()
                    .equals(Long.toString(ProcessHandle.current().pid()))) {
                Files.delete(own);
            }
        } catch (IOException e) {
            // a file that is left behind names a process that is gone
        }
    }
}
