package io.delayq.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Where an embedded Redis lives and how to reach it; kept in {@code redis.conf}, which only its owner can read.
 *
 * @param dir a real path; Redis runs in it, so that the names in the file need no quoting
 * @param always whether every write is on disk before it is answered
 */
record RedisConf(Path dir, int port, String password, boolean always) {
    /**
     * Below the ports that systems give to outgoing connections: while Redis is down, a client that keeps connecting
     * to such a port would some day be given it as its own, be connected to itself, and keep Redis from binding.
     */
    private static final int FIRST_PORT = 20_000;

    private static final int PORTS = 10_000;
    private static final SecureRandom RANDOM = new SecureRandom();

    static RedisConf fresh(Path dir, boolean always) {
        byte[] secret = new byte[24];
        RANDOM.nextBytes(secret);
        return new RedisConf(dir, freePort(), HexFormat.of().formatHex(secret), always);
    }

    /** What a server before us wrote; empty if it is not there or not whole. */
    static Optional<RedisConf> read(Path dir) {
        try {
            Map<String, String> values = values(dir);
            String password = values.get("requirepass");
            return password == null
                    ? Optional.empty()
                    : Optional.of(new RedisConf(
                            dir,
                            Integer.parseInt(values.get("port")),
                            password,
                            "always".equals(values.get("appendfsync"))));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Which program was started with what is written there; it may have any name. */
    static Optional<String> program(Path dir) {
        try {
            return Optional.ofNullable(values(dir).get("#program"));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Map<String, String> values(Path dir) throws IOException {
        return Files.readAllLines(dir.resolve("redis.conf")).stream()
                .map(line -> line.split(" ", 2))
                .filter(words -> words.length == 2)
                .collect(Collectors.toMap(words -> words[0], words -> words[1], (first, second) -> second));
    }

    /** @param program a real path */
    void write(Path program) throws IOException {
        Path copy = dir.resolve("redis.conf.tmp");
        Files.deleteIfExists(copy);
        Files.createFile(copy, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(copy, text(program));
        Files.move(copy, file(), StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * {@code daemonize} is for the session of its own that it brings: Redis stops at SIGINT, and Ctrl-C reaches the
     * whole group. {@code set-proc-title no} leaves the path of this file in the process list, where a server that
     * starts after a crash looks for it. Redis is to rewrite its log of writes by itself only if
     * {@link QuietRewrite} found no better moment. A small hash or sorted set is a list that is searched from its
     * beginning, which saves memory; with Redis' own limits of 512 and 128 entries a script on hundreds of reserved jobs
     * would take three times as long.
     */
    private String text(Path program) {
        return """
                # Written by delayq at each start of its embedded Redis; changes here are lost.
                #program %s
                bind 127.0.0.1
                port %d
                requirepass %s
                daemonize yes
                set-proc-title no
                dir .
                pidfile redis.pid
                unixsocket redis.sock
                unixsocketperm 700
                logfile redis.log
                save ""
                appendonly yes
                appendfsync %s
                aof-use-rdb-preamble yes
                auto-aof-rewrite-min-size 1gb
                hash-max-listpack-entries 64
                zset-max-listpack-entries 64
                lazyfree-lazy-server-del yes
                maxmemory-policy noeviction
                """
                .formatted(program, port, password, appendFsync());
    }

    String appendFsync() {
        return always ? "always" : "everysec";
    }

    RedisConf withAlways(boolean other) {
        return new RedisConf(dir, port, password, other);
    }

    Path file() {
        return dir.resolve("redis.conf");
    }

    Path pidFile() {
        return dir.resolve("redis.pid");
    }

    /** Another way to it than its port; not there if a server before us started it that did not ask for one. */
    Path socket() {
        return dir.resolve("redis.sock");
    }

    Path logFile() {
        return dir.resolve("redis.log");
    }

    String url() {
        return "redis://:" + password + "@127.0.0.1:" + port;
    }

    @Override
    public String toString() {
        return "RedisConf[dir=" + dir + ", port=" + port + "]";
    }

    /** Free a moment ago: whoever binds it must be ready to find it taken. */
    static int freePort() {
        for (int tries = 0; tries < 100; tries++) {
            int port = FIRST_PORT + RANDOM.nextInt(PORTS);
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return port;
            } catch (IOException e) {
                continue;
            }
        }
        throw new EmbeddedRedisException("found no free port on 127.0.0.1 between " + FIRST_PORT + " and "
                + (FIRST_PORT + PORTS - 1) + " for the embedded Redis");
    }
}
