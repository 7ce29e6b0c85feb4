package io.delayq.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.Settings.Durability;
import io.delayq.config.Settings.FrontEnds;
import io.delayq.config.Settings.Http;
import io.delayq.config.Settings.Instances;
import io.delayq.config.Settings.Mode;
import io.delayq.config.Settings.Redis;
import io.delayq.config.Settings.Token;
import io.delayq.config.Settings.Topology;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which source counts. */
class SettingsLoaderTest extends LoadingTestBase {
    private static final String BCRYPT = "$2b$10$" + "a".repeat(53);

    @Test
    void lets_flags_win_over_environment_over_file_over_defaults() {
        yaml = "http: {port: 1, maxConnections: 1, idle: 1s}";
        env("DELAYQ_HTTP_PORT", "2", "DELAYQ_HTTP_MAX_CONNECTIONS", "2");
        flags("--http.port=3");
        assertEquals(new Http("127.0.0.1", 3, 2, 1000, 10_000), loaded().http());
    }

    @Test
    void takes_every_key_from_the_environment() {
        env("DELAYQ_HTTP_HOST", "localhost", "DELAYQ_HTTP_PORT", "0", "DELAYQ_HTTP_MAX_CONNECTIONS", "5");
        env("DELAYQ_HTTP_IDLE", "PT1M", "DELAYQ_HTTP_HEADER_DEADLINE", "2500", "DELAYQ_DATA_DIR", "/var/lib/delayq");
        env("DELAYQ_REDIS_URL", "rediss://u:p@r:6380/2", "DELAYQ_REDIS_DEADLINE", "3s");
        env("DELAYQ_REDIS_CA", "ca.pem", "DELAYQ_REDIS_PROGRAM", "bin/redis-server");
        env("DELAYQ_REDIS_MODE", "sentinel", "DELAYQ_REDIS_MASTER", "other", "DELAYQ_REDIS_SENTINEL_PASSWORD", "s");
        env("DELAYQ_REDIS_ALLOW_EVICTION", "true", "DELAYQ_DURABILITY", "replicas:2");
        env("DELAYQ_REDIS_TRY_TIMEOUT", "2s", "DELAYQ_REDIS_QUEUE", "7", "DELAYQ_NAMESPACE", "a.b");
        env("DELAYQ_BUCKETS", "1024", "DELAYQ_INSTANCES_INGRESS", "3", "DELAYQ_INSTANCES_SCANNER", "4");
        env("DELAYQ_INSTANCES_DISPATCHER", "5", "DELAYQ_INSTANCES_GATEWAY", "6", "DELAYQ_INSECURE", "true");
        env("DELAYQ_INTAKE_LIST", "in");
        env("DELAYQ_INSTANCES_WEBHOOK", "7", "DELAYQ_WEBHOOK_ALLOW", "shop.internal, 10.1.0.0/16");
        env("DELAYQ_WEBHOOK_CONNECTIONS_PER_HOST", "8");
        env("DELAYQ_TOKENS", "[{\"name\":\"n\",\"token\":\"secret\",\"rights\":[\"push\"],\"requestsPerSecond\":9}]");
        env("DELAYQ_HTTP_TLS_CERTIFICATE", "cert.pem", "DELAYQ_HTTP_TLS_KEY", "key.pem");
        env("DELAYQ_USERS", "[{\"name\":\"u\",\"bcrypt\":\"" + BCRYPT + "\",\"role\":\"viewer\"}]");
        env("DELAYQ_LOG_TO", "files", "DELAYQ_LOG_DIR", "/var/log/delayq", "DELAYQ_LOG_LEVEL", "warn");
        assertEquals(
                new Settings(
                        new Http(
                                "localhost",
                                0,
                                5,
                                60_000,
                                2500,
                                new Settings.Tls(Path.of("cert.pem"), Path.of("key.pem"))),
                        Path.of("/var/lib/delayq"),
                        new Redis(
                                "rediss://u:p@r:6380/2",
                                3000,
                                2000,
                                7,
                                Path.of("ca.pem"),
                                Path.of("bin/redis-server"),
                                new Topology(Mode.SENTINEL, "other", "s"),
                                Durability.replicas(2),
                                true),
                        "a.b",
                        1024,
                        new Instances(3, 4, 5, 6, 7),
                        List.of(new Token("n", HASH, List.of("push"), List.of("*"), 9)),
                        true,
                        FrontEnds.NONE,
                        "in",
                        new Settings.Webhook(Allowed.of("shop.internal, 10.1.0.0/16"), 8),
                        List.of(new Settings.User("u", BCRYPT, false)),
                        new Settings.Log(Settings.LogTo.FILES, Path.of("/var/log/delayq"), "warn")),
                loaded());
    }

    @Test
    void takes_a_flag_with_an_equals_sign_with_a_space_and_without_a_value() {
        flags("--http.port=0", "--namespace", "x", "--insecure", "--buckets", "8");
        Settings settings = loaded();
        assertEquals(0, settings.http().port());
        assertEquals("x", settings.namespace());
        assertEquals(8, settings.buckets());
        assertTrue(settings.insecure());
    }

    @Test
    void lets_the_last_of_two_equal_flags_win() {
        flags("--http.port=1", "--http.port=2");
        assertEquals(2, loaded().http().port());
    }

    @Test
    void lets_a_flag_switch_a_boolean_off() {
        yaml = "insecure: true";
        flags("--insecure=false");
        assertFalse(loaded().insecure());
        flags("--insecure", "false");
        assertFalse(loaded().insecure());
    }

    @Test
    void takes_an_empty_variable_for_none() {
        env("DELAYQ_REDIS_URL", "", "DELAYQ_HTTP_PORT", "");
        assertEquals(Settings.defaults(), loaded());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "# only a comment\n", "---\n", "~", "http:\nredis: ~\nbuckets:\ntokens: null\n"})
    void takes_nothing_for_the_defaults(String text) {
        yaml = text;
        assertEquals(Settings.defaults(), loaded());
    }

    @Test
    void lets_the_environment_fill_an_empty_section() {
        yaml = "http:\n";
        env("DELAYQ_HTTP_PORT", "1");
        assertEquals(1, loaded().http().port());
    }

    @Test
    void reports_a_named_file_that_does_not_exist_together_with_other_faults() throws Exception {
        flags("--buckets=0");
        List<Fault> faults = faultsOf(dir.resolve("absent.yaml"));
        assertEquals(List.of("file", "buckets"), faults.stream().map(Fault::key).toList());
        assertTrue(faults.get(0).origin().endsWith("absent.yaml"));
        assertEquals("does not exist", faults.get(0).problem());
    }

    @Test
    void reports_a_file_that_is_a_directory() throws Exception {
        assertEquals("cannot be read", faultsOf(dir).get(0).problem());
    }

    @Test
    void starts_with_the_defaults_when_the_default_file_is_absent() throws Exception {
        var loading = SettingsLoader.load(vertx(), dir.resolve("absent.yaml"), false, env, flags);
        assertEquals(Settings.defaults(), ended(loading).settings());
    }

    @Test
    void does_not_take_a_broken_default_file_for_an_absent_one() throws Exception {
        Path broken = Files.writeString(dir.resolve("broken.yaml"), "http: {");
        var loading = SettingsLoader.load(vertx(), broken, false, env, flags);
        assertThrows(ExecutionException.class, () -> ended(loading));
    }

    @Test
    void reads_the_shipped_file_when_none_is_named() throws Exception {
        flags("--buckets=5");
        assertEquals(5, load(null).settings().buckets());
    }

    @Test
    void warns_of_an_unknown_variable_and_starts() {
        env("DELAYQ_HTTP_PROT", SECRET, "PATH", "x", "DELAYQ", "x");
        assertEquals(
                List.of("unknown variable DELAYQ_HTTP_PROT; the nearest known one is DELAYQ_HTTP_PORT"),
                result().warnings());
    }

    @Test
    void does_not_warn_of_variables_that_are_not_settings() {
        env("DELAYQ_TEST_REDIS", "x", "DELAYQ_JAVA_OPTS", "x", "DELAYQ_URL", "x", "DELAYQ_TOKEN", "x");
        assertEquals(List.of(), result().warnings());
    }
}
