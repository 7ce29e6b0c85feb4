package io.delayq.redis;

import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Locale;

/** The embedded Redis cannot be had; the message is meant for whoever started the server. */
public class EmbeddedRedisException extends RuntimeException {
    public EmbeddedRedisException(String message) {
        super(message);
    }

    public EmbeddedRedisException(String message, Throwable cause) {
        super(message, cause);
    }

    /** For a data directory that cannot be made or written. */
    public static EmbeddedRedisException noDirectory(Path dataDir, FileSystemException e) {
        String why = e instanceof AccessDeniedException
                ? "no permission"
                : e instanceof FileAlreadyExistsException
                        ? e.getFile() + " is no directory"
                        : e.getReason() != null
                                ? e.getReason().toLowerCase(Locale.ROOT)
                                : "the system does not let it be made";
        return new EmbeddedRedisException(
                "the data directory " + dataDir + " cannot be written: " + why + "; choose another with --data.dir", e);
    }

    /** Somebody else listens on the port that was chosen. */
    static final class PortTaken extends EmbeddedRedisException {
        PortTaken(int port) {
            super("port " + port + " is in use");
        }
    }
}
