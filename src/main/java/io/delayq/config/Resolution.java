package io.delayq.config;

import io.delayq.config.Settings.Address;
import io.delayq.config.Settings.FrontEnds;
import io.delayq.config.Settings.Http;
import io.delayq.config.Settings.Instances;
import io.delayq.config.Settings.Mode;
import io.delayq.config.Settings.Redis;
import io.delayq.config.Settings.Topology;
import io.delayq.job.Durations;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes the settings out of what the sources gave. A faulty value is noted and its default used in its place, so that one
 * pass finds all faults; settings made with faults are for nobody.
 */
final class Resolution {
    private static final int MOST_SHARDS = 64;

    private final JsonObject merged;
    private final YamlOutline file;
    private final Map<String, String> environment;
    private final Map<String, String> flags;
    private final List<Fault> faults = new ArrayList<>();
    private final Set<Key<?>> faulty = new HashSet<>();

    /** @param merged all sources, the stronger over the weaker; the others say which one a value came from */
    Resolution(JsonObject merged, YamlOutline file, Map<String, String> environment, Map<String, String> flags) {
        this.merged = merged;
        this.file = file;
        this.environment = environment;
        this.flags = flags;
    }

    static Resolution ofDefaults() {
        return new Resolution(new JsonObject(), YamlOutline.none(), Map.of(), Map.of());
    }

    List<Fault> faults() {
        return faults;
    }

    Settings settings() {
        List<Settings.Token> tokens = get(KeyTable.TOKENS);
        List<Settings.User> users = get(KeyTable.USERS);
        Set<Role> roles = get(KeyTable.ROLES);
        Http http = new Http(
                get(KeyTable.HTTP_HOST),
                get(KeyTable.HTTP_PORT),
                get(KeyTable.HTTP_MAX_CONNECTIONS),
                get(KeyTable.HTTP_IDLE),
                get(KeyTable.HTTP_HEADER_DEADLINE),
                tls());
        Settings settings = new Settings(
                http,
                get(KeyTable.DATA_DIR),
                new Redis(
                        get(KeyTable.REDIS_URL),
                        get(KeyTable.REDIS_DEADLINE),
                        get(KeyTable.REDIS_TRY_TIMEOUT),
                        get(KeyTable.REDIS_QUEUE),
                        get(KeyTable.REDIS_CA),
                        get(KeyTable.REDIS_PROGRAM),
                        new Topology(
                                get(KeyTable.REDIS_MODE),
                                get(KeyTable.REDIS_MASTER),
                                get(KeyTable.REDIS_SENTINEL_PASSWORD)),
                        get(KeyTable.DURABILITY),
                        get(KeyTable.REDIS_ALLOW_EVICTION),
                        get(KeyTable.REDIS_PROCESSES)),
                get(KeyTable.NAMESPACE),
                get(KeyTable.BUCKETS),
                new Instances(
                                get(KeyTable.INGRESS),
                                get(KeyTable.SCANNER),
                                get(KeyTable.DISPATCHER),
                                get(KeyTable.GATEWAY),
                                get(KeyTable.WEBHOOK))
                        .only(roles),
                tokens == null ? List.of() : tokens,
                get(KeyTable.INSECURE),
                frontEnds(http.host()),
                get(KeyTable.INTAKE_LIST),
                new Settings.Webhook(get(KeyTable.WEBHOOK_ALLOW), get(KeyTable.WEBHOOK_CONNECTIONS)),
                users == null ? List.of() : users,
                new Settings.Log(get(KeyTable.LOG_TO), get(KeyTable.LOG_DIR), get(KeyTable.LOG_LEVEL)));
        checkExposure(settings);
        checkFrontEnds(settings);
        checkTries(settings.redis());
        checkRoles(roles);
        checkTopology(settings.redis());
        checkShards(settings);
        checkIntake(settings);
        return settings;
    }

    private Settings.Tls tls() {
        Path certificate = get(KeyTable.HTTP_TLS_CERTIFICATE);
        Path key = get(KeyTable.HTTP_TLS_KEY);
        refuse(
                KeyTable.HTTP_TLS_CERTIFICATE,
                String.valueOf(certificate),
                certificate != null && key == null && sound(KeyTable.HTTP_TLS_KEY),
                "http.tlsKey is not set; expected both or none");
        refuse(
                KeyTable.HTTP_TLS_KEY,
                String.valueOf(key),
                key != null && certificate == null && sound(KeyTable.HTTP_TLS_CERTIFICATE),
                "http.tlsCertificate is not set; expected both or none");
        return certificate == null || key == null ? null : new Settings.Tls(certificate, key);
    }

    private void checkExposure(Settings settings) {
        String host = settings.http().host();
        if (sound(KeyTable.HTTP_HOST, KeyTable.TOKENS, KeyTable.INSECURE)
                && settings.tokens().isEmpty()
                && !settings.insecure()
                && !Hosts.isLoopback(host)) {
            faults.add(new Fault(
                    KeyTable.HTTP_HOST.name(),
                    host,
                    origin(KeyTable.HTTP_HOST),
                    "not a loopback address, and no tokens are set: set tokens in the file or in "
                            + KeyTable.TOKENS.variable() + ", or pass " + KeyTable.INSECURE.flag()
                            + " to let whoever reaches it do anything"));
        }
    }

    private FrontEnds frontEnds(String host) {
        Map<Compat, Address> listen = new EnumMap<>(Compat.class);
        Map<Compat, Address> given = get(KeyTable.COMPAT_LISTEN);
        if (given != null) {
            given.forEach((one, at) -> listen.put(one, at.host() == null ? new Address(host, at.port()) : at));
        }
        return new FrontEnds(get(KeyTable.COMPAT), get(KeyTable.COMPAT_TOKEN), listen, get(KeyTable.COMPAT_HOLD));
    }

    private void checkFrontEnds(Settings settings) {
        if (!sound(KeyTable.COMPAT, KeyTable.COMPAT_TOKEN, KeyTable.COMPAT_LISTEN, KeyTable.TOKENS)) {
            return;
        }
        FrontEnds fronts = settings.frontEnds();
        refuse(
                KeyTable.COMPAT,
                shown(KeyTable.COMPAT),
                fronts.on().contains(Compat.C5) && settings.redis().spreadBy() != null,
                "c5 needs a single Redis, since its clients' keys have no hash tags, and "
                        + settings.redis().spreadBy() + "; expected some of c1, c2, c3, c4");
        refuse(
                KeyTable.COMPAT_TOKEN,
                fronts.token(),
                fronts.token() != null
                        && settings.tokens().stream()
                                .noneMatch(token -> token.name().equals(fronts.token())),
                settings.tokens().isEmpty()
                        ? "no tokens are set; leave it out"
                        : "none of the tokens has this name; expected " + KeyTable.COMPAT_TOKEN.expected());
        fronts.listen().forEach((one, at) -> {
            String given = one.word() + "=" + at.host() + ":" + at.port();
            refuse(
                    KeyTable.COMPAT_LISTEN,
                    given,
                    !fronts.on().contains(one),
                    "compat does not name " + one.word() + "; expected an address only for what it names");
            refuse(
                    KeyTable.COMPAT_LISTEN,
                    given,
                    at.port() != 0
                            && at.equals(new Address(
                                    settings.http().host(), settings.http().port())),
                    "the same as http.host and http.port; expected another one");
            refuse(
                    KeyTable.COMPAT_LISTEN,
                    given,
                    settings.tokens().isEmpty()
                            && !settings.insecure()
                            && !at.host().equals(settings.http().host())
                            && !Hosts.isLoopback(at.host()),
                    "not a loopback address, and no tokens are set: set tokens, or pass " + KeyTable.INSECURE.flag()
                            + " to let whoever reaches it do anything");
        });
    }

    private void checkTries(Redis redis) {
        if (sound(KeyTable.REDIS_TRY_TIMEOUT, KeyTable.REDIS_DEADLINE) && redis.tryMillis() > redis.deadlineMillis()) {
            faults.add(new Fault(
                    KeyTable.REDIS_TRY_TIMEOUT.name(),
                    Durations.text(redis.tryMillis()),
                    origin(KeyTable.REDIS_TRY_TIMEOUT),
                    "longer than redis.deadline, which is " + Durations.text(redis.deadlineMillis()) + " ("
                            + origin(KeyTable.REDIS_DEADLINE) + "); expected at most that"));
        }
    }

    private void checkRoles(Set<Role> roles) {
        String conflict = Role.conflict(roles);
        if (conflict != null) {
            faults.add(new Fault(KeyTable.ROLES.name(), shown(KeyTable.ROLES), origin(KeyTable.ROLES), conflict));
        }
    }

    private void checkTopology(Redis redis) {
        if (!sound(KeyTable.REDIS_URL, KeyTable.REDIS_MODE)) {
            return;
        }
        String mode = Values.spelled(redis.mode());
        refuse(
                KeyTable.REDIS_MODE,
                mode,
                redis.url() == null && redis.mode() != Mode.STANDALONE,
                "redis.url is not set, and the embedded Redis is standalone; expected redis.url with the addresses");
        refuse(
                KeyTable.REDIS_URL,
                redis.redacted(),
                redis.urls().size() > 1 && redis.mode() == Mode.STANDALONE,
                "several addresses; expected one, or redis.mode replication, sentinel, cluster or shards");
        refuse(
                KeyTable.REDIS_URL,
                redis.redacted(),
                redis.mode() != Mode.STANDALONE && redis.mode() != Mode.SHARDS && !RedisUrl.areAlike(redis.urls()),
                "expected the same scheme, user, password and database in all addresses");
        refuse(
                KeyTable.REDIS_URL,
                redis.redacted(),
                redis.url() != null
                        && redis.mode() == Mode.CLUSTER
                        && RedisUrl.database(URI.create(redis.urls().get(0))) != 0,
                "a database; a cluster has none but 0");
        refuse(
                KeyTable.REDIS_MASTER,
                redis.topology().master(),
                redis.mode() != Mode.SENTINEL && !redis.topology().master().equals(KeyTable.REDIS_MASTER.defaultText()),
                "redis.mode is " + mode + "; expected sentinel with it");
        refuse(
                KeyTable.REDIS_SENTINEL_PASSWORD,
                null,
                redis.mode() != Mode.SENTINEL && redis.topology().sentinelPassword() != null,
                "redis.mode is " + mode + "; expected sentinel with it");
        refuse(
                KeyTable.DURABILITY,
                redis.durability().toString(),
                redis.url() == null && redis.durability().replicas() > 0,
                "redis.url is not set, and the embedded Redis has no replicas; expected everysec or always");
    }

    private void checkShards(Settings settings) {
        Redis redis = settings.redis();
        int count = redis.urls().size();
        boolean isShards = sound(KeyTable.REDIS_URL, KeyTable.REDIS_MODE) && redis.mode() == Mode.SHARDS && count > 0;
        refuse(
                KeyTable.REDIS_URL,
                redis.redacted(),
                isShards && (count < 2 || count > MOST_SHARDS),
                count + " addresses, and redis.mode is shards; expected 2 to " + MOST_SHARDS);
        refuse(
                KeyTable.REDIS_URL,
                redis.redacted(),
                isShards && Set.copyOf(redis.urls()).size() < count,
                "the same address twice, and redis.mode is shards; expected each once");
        refuse(
                KeyTable.BUCKETS,
                String.valueOf(settings.buckets()),
                isShards && count <= MOST_SHARDS && settings.buckets() < count,
                "fewer than the " + count
                        + " addresses of redis.url, and redis.mode is shards; expected at least as many");
        refuse(
                KeyTable.REDIS_PROCESSES,
                String.valueOf(redis.processes()),
                sound(KeyTable.REDIS_URL) && redis.url() != null && redis.processes() > 1,
                "redis.url is set, so that no embedded Redis is started; expected 1");
        refuse(
                KeyTable.REDIS_PROCESSES,
                String.valueOf(redis.processes()),
                sound(KeyTable.BUCKETS) && redis.url() == null && redis.processes() > settings.buckets(),
                "more than buckets, which is " + settings.buckets() + " (" + origin(KeyTable.BUCKETS)
                        + "); expected at most that");
    }

    private void checkIntake(Settings settings) {
        String list = settings.intakeList();
        String tag = "{" + settings.namespace();
        refuse(
                KeyTable.INTAKE_LIST,
                list,
                list != null && settings.redis().spreadBy() != null,
                settings.redis().spreadBy() + ", and a list lies on one Redis; expected that, or no list");
        refuse(
                KeyTable.INTAKE_LIST,
                list,
                list != null && (list.startsWith(tag + ":") || list.startsWith(tag + "}")),
                "one of delayq's own keys; expected another one");
    }

    private void refuse(Key<?> key, String given, boolean wrong, String problem) {
        if (wrong && sound(key)) {
            faults.add(new Fault(key.name(), given, origin(key), problem));
        }
    }

    private boolean sound(Key<?>... keys) {
        return Set.of(keys).stream().noneMatch(faulty::contains);
    }

    private <T> T get(Key<T> key) {
        Object given = given(key);
        if (given == null) {
            return key.defaultValue();
        }
        if (isFromFile(key) && file.isMisread(key.name())) {
            faulty.add(key);
            return key.defaultValue();
        }
        try {
            return key.parser().parse(given);
        } catch (Refused e) {
            faulty.add(key);
            if (e.wrongs().isEmpty()) {
                faults.add(new Fault(key.name(), shown(key), origin(key), "expected " + key.expected()));
            }
            e.wrongs()
                    .forEach(wrong -> faults.add(
                            new Fault(key.name() + wrong.at(), wrong.given(), origin(key), wrong.problem())));
            return key.defaultValue();
        }
    }

    /** Null also where a section is something else; the outline has said so. */
    private Object given(Key<?> key) {
        int dot = key.name().indexOf('.');
        if (dot < 0) {
            return merged.getValue(key.name());
        }
        return merged.getValue(key.name().substring(0, dot)) instanceof JsonObject section
                ? section.getValue(key.name().substring(dot + 1))
                : null;
    }

    private boolean isFromFile(Key<?> key) {
        return !flags.containsKey(key.name()) && !environment.containsKey(key.name());
    }

    private String origin(Key<?> key) {
        if (flags.containsKey(key.name())) {
            return "flag " + key.flag();
        }
        if (environment.containsKey(key.name())) {
            return "variable " + key.variable();
        }
        YamlOutline.Leaf leaf = file.leaf(key.name());
        return leaf == null ? "default" : file.origin(leaf);
    }

    private String shown(Key<?> key) {
        String text = flags.getOrDefault(key.name(), environment.get(key.name()));
        if (text == null && file.leaf(key.name()) != null) {
            text = file.leaf(key.name()).spelled();
        }
        return text == null ? null : key.shown().apply(text);
    }
}
