package io.delayq.webhook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.PfxOptions;
import java.net.InetAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A call goes to the address that was checked; who is there has to be who the url says. */
class CallClientTest {
    private static final String PASSWORD = "changeit";

    @TempDir
    static Path dir;

    private static Vertx vertx;
    private static HttpServer server;
    private static CallClient trusting;
    private static CallClient usual;

    @BeforeAll
    static void open() throws Exception {
        keytool("-genkeypair", "-alias", "shop", "-keyalg", "EC", "-dname", "CN=shop", "-ext", "san=dns:shop.example");
        keytool(
                "-exportcert",
                "-rfc",
                "-alias",
                "shop",
                "-file",
                dir.resolve("ca.pem").toString());
        vertx = Vertx.vertx();
        server = Receiver.await(vertx.createHttpServer(new HttpServerOptions()
                        .setSsl(true)
                        .setSni(true)
                        .setKeyCertOptions(new PfxOptions()
                                .setPath(dir.resolve("keys.p12").toString())
                                .setPassword(PASSWORD)))
                .requestHandler(request -> request.response()
                        .end(request.connection().indicatedServerName() + " "
                                + request.authority().host()))
                .listen(0, "127.0.0.1"));
        trusting = new CallClient(
                vertx,
                new HttpClientOptions()
                        .setTrustOptions(new PemTrustOptions()
                                .addCertPath(dir.resolve("ca.pem").toString())),
                10);
        usual = new CallClient(vertx, new HttpClientOptions(), 10);
    }

    @AfterAll
    static void close() {
        Receiver.await(vertx.close());
    }

    @Test
    void the_name_in_the_url_is_what_tls_and_http_are_told() throws Exception {
        CallClient.Answer answer = call(trusting, "shop.example");
        assertEquals(200, answer.status());
        assertEquals("shop.example shop.example", answer.body().toString());
    }

    @Test
    void a_certificate_for_another_name_is_not_trusted() {
        assertFails(trusting, "other.example");
    }

    @Test
    void a_certificate_of_an_unknown_authority_is_not_trusted() {
        assertFails(usual, "shop.example");
    }

    private static void assertFails(CallClient client, String host) {
        ExecutionException error = assertThrows(ExecutionException.class, () -> call(client, host));
        assertTrue(error.getCause().getMessage().startsWith("no trusted TLS connection"), error.toString());
    }

    private static CallClient.Answer call(CallClient client, String host) throws Exception {
        URI url = URI.create("https://" + host + ":" + server.actualPort() + "/");
        CallRequest request = new CallRequest(url, "POST", Map.of(), Buffer.buffer("{}"));
        return client.call(request, InetAddress.getByName("127.0.0.1"), 5_000)
                .toCompletionStage()
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS);
    }

    private static void keytool(String... words) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of(words));
        command.addAll(List.of(
                "-keystore", dir.resolve("keys.p12").toString(), "-storetype", "PKCS12", "-storepass", PASSWORD));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(dir.resolve("keytool.log").toFile())
                .start();
        assertEquals(0, process.waitFor());
    }
}
