package io.delayq.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.Server;
import io.delayq.config.Settings;
import io.delayq.path.TestServer;
import io.delayq.redis.RedisTrust;
import io.delayq.redis.TestRedis;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PfxOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Redis behind TLS: rediss:// with a certificate authority of one's own, and no word to a stranger. */
class TlsTest {
    private static final String PASSWORD = "changeit";

    @TempDir
    static Path dir;

    private static Vertx vertx;
    private static NetServer front;
    private static final AtomicInteger bytesFromStrangers = new AtomicInteger();

    @BeforeAll
    static void open() throws Exception {
        keytool(
                "-genkeypair",
                "-alias",
                "redis",
                "-keyalg",
                "EC",
                "-dname",
                "CN=redis",
                "-ext",
                "san=ip:127.0.0.1",
                "-validity",
                "2");
        keytool(
                "-exportcert",
                "-rfc",
                "-alias",
                "redis",
                "-file",
                dir.resolve("ca.pem").toString());
        vertx = Vertx.vertx();
        NetClient client = vertx.createNetClient();
        NetServerOptions options = new NetServerOptions()
                .setSsl(true)
                .setKeyCertOptions(new PfxOptions()
                        .setPath(dir.resolve("keys.p12").toString())
                        .setPassword(PASSWORD));
        front = await(vertx.createNetServer(options)
                .connectHandler(near -> joined(client, near))
                .listen(0, "127.0.0.1"));
    }

    private static void joined(NetClient client, NetSocket near) {
        near.pause();
        client.connect(TestRedis.shared().port(), "127.0.0.1")
                .onFailure(error -> near.close())
                .onSuccess(far -> {
                    near.handler(bytes -> {
                        bytesFromStrangers.addAndGet(bytes.length());
                        far.write(bytes);
                    });
                    far.handler(near::write);
                    near.closeHandler(closed -> far.close());
                    far.closeHandler(closed -> near.close());
                    near.resume();
                });
    }

    private static void keytool(String... words) throws Exception {
        List<String> command = new java.util.ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(words));
        command.addAll(List.of(
                "-keystore", dir.resolve("keys.p12").toString(), "-storetype", "PKCS12", "-storepass", PASSWORD));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("keytool.log").toFile())
                .start();
        assertEquals(0, process.waitFor(), () -> read(dir.resolve("keytool.log")));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    @AfterAll
    static void close() {
        await(vertx.close());
    }

    private static Settings settings(Settings settings, String host, Path ca) {
        return RedisAwayFaultTest.withRedis(
                settings,
                settings.redis()
                        .withUrl("rediss://" + host + ":" + front.actualPort())
                        .withCa(ca));
    }

    @Test
    void a_server_works_over_tls_with_an_authority_of_its_own() {
        try (TestServer server = TestServer.start(set -> settings(set, "127.0.0.1", dir.resolve("ca.pem")))) {
            server.push("t", "{\"id\":\"1\",\"delay\":\"100ms\"}");
            assertEquals("1", server.reserve("t", 1, "5s").job(0).getString("id"));
        }
    }

    @Test
    void a_certificate_nobody_vouches_for_or_of_another_host_gets_no_word() {
        Settings defaults = TestServer.settings("redis://127.0.0.1");
        for (Settings set : List.of(
                settings(defaults, "127.0.0.1", null), settings(defaults, "localhost", dir.resolve("ca.pem")))) {
            int before = bytesFromStrangers.get();
            Vertx own = Vertx.vertx();
            Future<Server> start = Server.start(own, set);
            try (LogLines lines = new LogLines("io.delayq.redis.HeldConnection")) {
                TestRedis.await("the refusal", () -> lines.contain("redis down connection=presence"));
                TestRedis.await("more tries", () -> lines.contain("SSLHandshakeException"));
            }
            assertFalse(start.isComplete());
            assertEquals(before, bytesFromStrangers.get(), "bytes sent to a stranger");
            await(own.close());
        }
    }

    @Test
    void an_authority_that_cannot_be_read_is_named() throws IOException {
        Path none = dir.resolve("none.pem");
        assertTrue(assertThrows(IllegalArgumentException.class, () -> RedisTrust.load(none))
                .getMessage()
                .startsWith("redis.ca: " + none));
        Path empty = Files.writeString(dir.resolve("empty.pem"), "nothing\n");
        assertTrue(assertThrows(IllegalArgumentException.class, () -> RedisTrust.load(empty))
                .getMessage()
                .startsWith("redis.ca: "));
    }

    private static <T> T await(Future<T> future) {
        return TestServer.await(future.toCompletionStage().toCompletableFuture());
    }
}
