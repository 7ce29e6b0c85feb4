package io.delayq.redis;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Keeps a data directory for one server. The system gives it free when the process dies, however it dies. */
final class DataLock {
    /**
     * Asked before the lock file is opened: on POSIX, closing any channel of a file drops the locks that the process
     * holds on it, so that a refused second try would free the first one's lock.
     */
    private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

    private final Path dataDir;
    private final FileChannel channel;

    private DataLock(Path dataDir, FileChannel channel) {
        this.dataDir = dataDir;
        this.channel = channel;
    }

    /** @param dataDir a real path, so that a directory has one name only */
    static DataLock take(Path dataDir) throws IOException {
        if (!HELD_HERE.add(dataDir)) {
            throw inUse(dataDir);
        }
        try {
            FileChannel channel =
                    FileChannel.open(dataDir.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!locked(channel)) {
                channel.close();
                throw inUse(dataDir);
            }
            DataLock lock = new DataLock(dataDir, channel);
            Files.writeString(holder(dataDir), ProcessHandle.current().pid() + "\n");
            return lock;
        } catch (IOException | RuntimeException e) {
            HELD_HERE.remove(dataDir);
            throw e;
        }
    }

    void release() throws IOException {
        try (channel) {
            Files.deleteIfExists(holder(dataDir));
        } finally {
            HELD_HERE.remove(dataDir);
        }
    }

    private static boolean locked(FileChannel channel) throws IOException {
        try {
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    private static EmbeddedRedisException inUse(Path dataDir) {
        String pid;
        try {
            pid = " (process " + Files.readString(holder(dataDir)).strip() + ")";
        } catch (IOException e) {
            pid = "";
        }
        return new EmbeddedRedisException("the data directory " + dataDir + " is in use by another server" + pid
                + "; stop that one, or give this one another data.dir");
    }

    private static Path holder(Path dataDir) {
        return dataDir.resolve("lock.pid");
    }
}
