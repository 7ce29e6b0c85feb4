package io.delayq.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.Server;
import io.delayq.config.Settings;
import io.delayq.redis.TestRedis;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.http.UpgradeRejectedException;
import io.vertx.core.http.WebSocket;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.net.PemTrustOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The port behind TLS. */
class TlsPathTest {
    private static final String PASSWORD = "changeit";

    @TempDir
    static Path dir;

    private static TestServer server;
    private static HttpClient client;
    /** Held here: one that is garbage closes its connections. */
    private static WebSocketClient sockets;

    @BeforeAll
    static void start() throws Exception {
        pair("own", "EC");
        pair("other", "EC");
        pair("rsa", "RSA");
        server = TestServer.start(set -> Wire.with(
                set,
                http(set, tls("own.crt", "own.key")),
                List.of(Wire.token("secret", 0, "push", "consume", "admin")),
                List.of(Wire.user("adam", "password", true))));
        client = server.vertx.createHttpClient(
                new HttpClientOptions().setSsl(true).setTrustOptions(trust()).setVerifyHost(true));
        sockets = server.vertx.createWebSocketClient(
                new WebSocketClientOptions().setSsl(true).setTrustOptions(trust()));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Settings.Http http(Settings set, Settings.Tls tls) {
        Settings.Http http = set.http();
        return new Settings.Http(http.host(), 0, http.maxConnections(), http.idleMillis(), http.headerMillis(), tls);
    }

    private static Settings.Tls tls(String certificate, String key) {
        return new Settings.Tls(dir.resolve(certificate), dir.resolve(key));
    }

    private static PemTrustOptions trust() {
        return new PemTrustOptions().addCertPath(dir.resolve("own.crt").toString());
    }

    @Test
    void requests_are_served_and_the_cookie_is_for_tls_only() {
        assertEquals(200, send(HttpMethod.GET, "/health/live", null).statusCode());
        HttpClientResponse answer = send(HttpMethod.POST, "/v1/login", "{\"user\":\"adam\",\"password\":\"password\"}");
        assertEquals(200, answer.statusCode());
        assertTrue(answer.getHeader("Set-Cookie").endsWith("; Secure"), answer.getHeader("Set-Cookie"));
    }

    @Test
    void the_own_origin_is_that_of_https() {
        String port = ":" + server.port();
        String secret = "Bearer secret";
        String body = "[]";
        assertEquals(
                200,
                send(HttpMethod.POST, "/v1/jobs", body, "Authorization", secret, "Origin", "https://localhost" + port)
                        .statusCode());
        for (String foreign : List.of("http://localhost" + port, "https://evil.example", "https://localhost")) {
            assertEquals(
                    403,
                    send(HttpMethod.POST, "/v1/jobs", body, "Authorization", secret, "Origin", foreign)
                            .statusCode(),
                    foreign);
        }
    }

    @Test
    void websockets_are_served_to_our_own_pages_and_refused_to_others() {
        WebSocket socket = await(connect("https://localhost:" + server.port()));
        CompletableFuture<String> answer = new CompletableFuture<>();
        socket.textMessageHandler(answer::complete);
        socket.writeTextMessage("{\"op\":\"ping\",\"ref\":1}");
        assertEquals("{\"op\":\"pong\",\"ref\":1}", TestServer.await(answer));
        await(socket.close());
        for (String foreign : List.of("https://evil.example", "http://localhost:" + server.port())) {
            Throwable refused = Assertions.assertThrows(AssertionError.class, () -> await(connect(foreign)))
                    .getCause()
                    .getCause();
            assertEquals(403, ((UpgradeRejectedException) refused).getStatus());
        }
    }

    @Test
    void plain_http_is_not_served() {
        try (RawHttp http = new RawHttp(server.port())) {
            assertTrue(http.send(RawHttp.request("GET", "/health/live", null)).ends());
        }
    }

    @Test
    void a_client_that_never_speaks_tls_is_closed_in_time() {
        try (TestServer impatient = TestServer.start(set -> Wire.with(
                        set,
                        new Settings.Http(set.http().host(), 0, 100, 75_000, 400, tls("own.crt", "own.key")),
                        List.of(),
                        List.of()));
                RawHttp http = new RawHttp(impatient.port())) {
            long begin = System.nanoTime();
            assertTrue(http.ends());
            assertTrue(System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(5));
        }
    }

    @Test
    void keys_of_other_kinds_are_taken_too() {
        try (TestServer rsa =
                TestServer.start(set -> Wire.with(set, http(set, tls("rsa.crt", "rsa.key")), List.of(), List.of()))) {
            assertTrue(rsa.port() > 0);
        }
    }

    @Test
    void what_cannot_be_used_is_named_at_the_start() throws IOException {
        Files.writeString(dir.resolve("nonsense"), "nothing of use");
        refused(tls("none.crt", "own.key"), "http.tlsCertificate: " + dir.resolve("none.crt") + " does not exist");
        refused(tls("own.crt", "none.key"), "http.tlsKey: " + dir.resolve("none.key") + " does not exist");
        refused(
                tls("own.crt", "nonsense"),
                "http.tlsCertificate and http.tlsKey: " + dir.resolve("own.crt") + " and " + dir.resolve("nonsense")
                        + " are not a certificate and its private key in PEM form");
        refused(
                tls("nonsense", "own.key"),
                "http.tlsCertificate and http.tlsKey: " + dir.resolve("nonsense") + " and " + dir.resolve("own.key"));
        refused(
                tls("own.crt", "other.key"),
                "http.tlsKey: " + dir.resolve("other.key") + " is not the key of the certificate in "
                        + dir.resolve("own.crt"));
    }

    private static void refused(Settings.Tls tls, String message) {
        Vertx vertx = Vertx.vertx();
        try {
            Settings set = TestServer.settings(TestRedis.shared().url());
            Server.start(vertx, Wire.with(set, http(set, tls), List.of(), List.of()))
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get(10, TimeUnit.SECONDS);
            Assertions.fail("started");
        } catch (ExecutionException e) {
            assertTrue(
                    e.getCause().getMessage().startsWith(message), e.getCause().getMessage());
        } catch (InterruptedException | java.util.concurrent.TimeoutException e) {
            throw new AssertionError(e);
        } finally {
            await(vertx.close());
        }
    }

    private static HttpClientResponse send(HttpMethod method, String path, String body, String... headers) {
        RequestOptions options = new RequestOptions()
                .setMethod(method)
                .setHost("localhost")
                .setPort(server.port())
                .setURI(path);
        for (int i = 0; i < headers.length; i += 2) {
            options.putHeader(headers[i], headers[i + 1]);
        }
        return await(client.request(options)
                .compose(request -> body == null ? request.send() : request.send(Buffer.buffer(body)))
                .compose(answer -> answer.body().map(answer)));
    }

    private static Future<WebSocket> connect(String origin) {
        return sockets.connect(new WebSocketConnectOptions()
                .setHost("localhost")
                .setPort(server.port())
                .setURI("/v1/ws")
                .addHeader("Authorization", "Bearer secret")
                .addHeader("Origin", origin));
    }

    private static <T> T await(Future<T> future) {
        return TestServer.await(future.toCompletionStage().toCompletableFuture());
    }

    /** A self-signed certificate and its key, as the PEM files {@code name.crt} and {@code name.key}. */
    private static void pair(String name, String algorithm) throws Exception {
        Path store = dir.resolve(name + ".p12");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                name,
                "-keyalg",
                algorithm,
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-validity",
                "2",
                "-keystore",
                store.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertEquals(0, process.waitFor());
        KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        Key key = keys.getKey(name, PASSWORD.toCharArray());
        pem(name + ".key", "PRIVATE KEY", key.getEncoded());
        pem(name + ".crt", "CERTIFICATE", keys.getCertificate(name).getEncoded());
    }

    private static void pem(String file, String what, byte[] bytes) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        Files.writeString(
                dir.resolve(file), "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n");
    }
}
