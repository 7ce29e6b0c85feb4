package io.delayq.config;

import io.delayq.job.Durations;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Every setting there is, once. Names of variables and flags, checks, messages and the reference are made from this table;
 * a test holds {@code conf/delayq.yaml} to it.
 */
public final class KeyTable {
    private static final long SECOND = 1000;
    private static final long HOUR = 3600 * SECOND;

    static final Key<String> HTTP_HOST = key(
            "http.host",
            "127.0.0.1",
            "Address to listen on. One that is not loopback needs tokens, or insecure.",
            Hosts.EXPECTED,
            Hosts::parse);
    static final Key<Integer> HTTP_PORT =
            whole("http.port", "9277", "Port for HTTP and WebSocket. 0 takes any free port.", 0, 65535);
    static final Key<Integer> HTTP_MAX_CONNECTIONS = whole(
            "http.maxConnections",
            "10000",
            "Open connections at a time; further ones are closed at once.",
            1,
            1_000_000);
    static final Key<Long> HTTP_IDLE = duration(
            "http.idle",
            "75s",
            "How long a kept-alive connection may wait for its next request. Longer than that of a proxy in front.",
            100,
            24 * HOUR);
    static final Key<Long> HTTP_HEADER_DEADLINE = duration(
            "http.headerDeadline",
            "10s",
            "How long a client may take to send the headers of a request, and a body may stall or come slower than 1 KiB/s.",
            100,
            HOUR);
    static final Key<Path> HTTP_TLS_CERTIFICATE = key(
            "http.tlsCertificate",
            null,
            "File with the certificate (PEM) to answer with, followed by those it was signed by. Not set, plain HTTP.",
            "a path",
            Values::path);
    static final Key<Path> HTTP_TLS_KEY =
            key("http.tlsKey", null, "File with the certificate's private key (PEM).", "a path", Values::path);
    static final Key<Path> DATA_DIR = key(
            "data.dir",
            "data",
            "Where the embedded Redis keeps its files. Relative to the working directory.",
            "a path",
            Values::path);
    static final Key<String> REDIS_URL = key(
            "redis.url",
            null,
            "Redis to use: redis://host:port, or rediss://user:password@host:port/database for TLS."
                    + " Not set, an embedded one is started. Percent-encode special characters, also + as %2B."
                    + " Where redis.mode takes several, they are separated by commas.",
            RedisUrl.EXPECTED,
            RedisUrl::parse,
            RedisUrl::shown);
    static final Key<Path> REDIS_PROGRAM = key(
            "redis.program",
            null,
            "A redis-server of your own, version 7.0 or newer, to start as the embedded Redis. Not set, the one that"
                    + " delayq brings. Files in data.dir that a newer Redis has written cannot be read by an older one.",
            "a path",
            Values::path);
    static final Key<Integer> REDIS_PROCESSES = whole(
            "redis.processes",
            "1",
            "How many embedded Redis processes share the buckets, where redis.url is not set; each uses one core. Not more"
                    + " than buckets, and to be chosen before the first start.",
            1,
            64);
    static final Key<Settings.Mode> REDIS_MODE = key(
            "redis.mode",
            "standalone",
            "What redis.url names: one Redis (standalone), a master and its replicas in any order (replication),"
                    + " sentinels (sentinel), some nodes of a cluster (cluster), or 2 to 64 servers that share the buckets"
                    + " and know nothing of each other, always in the same order (shards).",
            Values.expected(Settings.Mode.class),
            Values.oneOf(Settings.Mode.class));
    static final Key<String> REDIS_MASTER = key(
            "redis.master",
            "mymaster",
            "What the sentinels call the master. Only for redis.mode sentinel.",
            "1-128 of letters, digits, '.', '_' and '-'",
            Values.matching("[A-Za-z0-9._-]{1,128}"));
    static final Key<String> REDIS_SENTINEL_PASSWORD = key(
            "redis.sentinelPassword",
            null,
            "Password of the sentinels themselves; the one in redis.url is that of master and replicas.",
            "1-512 visible ASCII characters",
            Values.matching("[!-~]{1,512}"),
            text -> Values.HIDDEN);
    static final Key<Path> REDIS_CA = key(
            "redis.ca",
            null,
            "File with the certificates (PEM) to trust for rediss://, besides those that Java trusts.",
            "a path",
            Values::path);
    static final Key<Long> REDIS_DEADLINE = duration(
            "redis.deadline",
            "1500ms",
            "How long one request may wait for Redis in all, repetitions included, before it is answered 503.",
            10,
            600 * SECOND);
    static final Key<Long> REDIS_TRY_TIMEOUT = duration(
            "redis.tryTimeout",
            "1s",
            "How long one try may take before its connection is given up. Not longer than redis.deadline.",
            10,
            600 * SECOND);
    static final Key<Integer> REDIS_QUEUE = whole(
            "redis.queue",
            "20000",
            "Most jobs and calls waiting for Redis in one verticle instance; more are answered 503.",
            1,
            1_000_000);
    static final Key<Boolean> REDIS_ALLOW_EVICTION = key(
            "redis.allowEviction",
            "false",
            "Start although Redis evicts keys when it is full (a maxmemory-policy other than noeviction): jobs vanish then.",
            "true or false",
            Values::trueOrFalse);
    static final Key<Settings.Durability> DURABILITY = key(
            "durability",
            "everysec",
            "When a push counts as stored: in Redis' memory, on its disk within about a second (everysec); on its disk"
                    + " (always); in the memory of N replicas too (replicas:N). A Redis that redis.url names must be set"
                    + " to appendfsync everysec or always itself.",
            "everysec, always, or replicas:N with N from 1 to 10",
            Values::durability);
    static final Key<String> NAMESPACE = key(
            "namespace",
            "dq",
            "Start of every Redis key, so that several queues can share one Redis.",
            "1-64 of letters, digits, '.', '_' and '-'",
            Values.matching("[A-Za-z0-9._-]{1,64}"));
    static final Key<Integer> BUCKETS = whole(
            "buckets",
            "4",
            "Shards that jobs are spread over by their id. All servers on one namespace have the same number.",
            1,
            1024);
    static final Key<String> INTAKE_LIST = key(
            "intake.list",
            null,
            "Redis list that other programs may put jobs on with RPUSH, as JSON with their topic, as POST /v1/jobs takes"
                    + " them. What is no job goes to a list of that name with :bad behind it. Not on a cluster or"
                    + " several Redis servers.",
            "the key of a Redis list, 1-512 characters, none of them a control character",
            Values.matching("\\P{Cntrl}{1,512}"));
    static final Key<Set<Role>> ROLES = key(
            "roles",
            Role.ALL,
            "What this server does, where several share one Redis: ingress takes HTTP requests, scanner moves due jobs to"
                    + " the ready queues, dispatcher hands them to consumers, gateway serves WebSockets, webhook makes"
                    + " callbacks. Health, metrics and the list of servers are there in any case.",
            Role.EXPECTED,
            Role::parse);
    static final Key<Integer> INGRESS = whole(
            "instances.ingress",
            "1",
            "Verticles that take HTTP requests. Each makes its own calls to Redis, so that more of them make smaller ones:"
                    + " worth it only when one takes a whole core.",
            1,
            64);
    static final Key<Integer> SCANNER =
            whole("instances.scanner", "1", "Verticles that move due jobs to the ready queues.", 1, 64);
    static final Key<Integer> DISPATCHER =
            whole("instances.dispatcher", "1", "Verticles that hand ready jobs to consumers.", 1, 64);
    static final Key<Integer> GATEWAY =
            whole("instances.gateway", "1", "Verticles that push jobs to WebSocket clients.", 1, 64);
    static final Key<Integer> WEBHOOK = whole("instances.webhook", "1", "Verticles that make callbacks.", 1, 64);
    static final Key<AllowList> WEBHOOK_ALLOW = key(
            "webhook.allow",
            "[]",
            "Where callbacks may go besides the public internet: host names, IP addresses and networks such as"
                    + " 10.1.0.0/16. A host that is named may have any address.",
            AllowList.EXPECTED,
            AllowList::parse);
    static final Key<Integer> WEBHOOK_CONNECTIONS = whole(
            "webhook.connectionsPerHost",
            "100",
            "Most calls under way to one host in one verticle instance. One that fails gets fewer.",
            1,
            1000);
    static final Key<List<Settings.Token>> TOKENS = key(
            "tokens",
            null,
            "Who may call what: a name, the secret as token or its SHA-256 as sha256, rights out of push, consume and"
                    + " admin, topics as patterns in which * stands for any run of characters, all topics if left out, and"
                    + " requestsPerSecond, any number if left out. Not set, no token is asked for.",
            Tokens.EXPECTED,
            Tokens::parse,
            text -> Values.HIDDEN);
    static final Key<List<Settings.User>> USERS = key(
            "users",
            null,
            "Who may log in to the dashboard where tokens are set: a name, the bcrypt hash of the password, and the role:"
                    + " viewer, or admin who may change things too.",
            Users.EXPECTED,
            Users::parse,
            text -> Values.HIDDEN);
    static final Key<Boolean> INSECURE = key(
            "insecure",
            "false",
            "Listen on an address that is not loopback although no tokens are set: whoever reaches it may do anything.",
            "true or false",
            Values::trueOrFalse);
    static final Key<Set<Compat>> COMPAT = key(
            "compat",
            "none",
            "Older delay queues whose clients are served unchanged: ouqiang/delay-queue (c1), tengzbiao/go-delay-queue (c2),"
                    + " shenpeiliang/delay_queue (c3), liuxc2016/delayq (c4), mix-basic/delayer (c5).",
            Compat.EXPECTED,
            Compat::parse);
    static final Key<String> COMPAT_TOKEN = key(
            "compatToken",
            null,
            "Name of the token that these clients act as, since they send none. Where tokens are set, they are served only"
                    + " with this or at an address of compatListen.",
            "the name of one of the tokens",
            Values.matching("[A-Za-z0-9._-]{1,64}"));
    static final Key<Map<Compat, Settings.Address>> COMPAT_LISTEN = key(
            "compatListen",
            null,
            "Further addresses, for these clients alone; whoever reaches one is asked for no token. The originals had 9277"
                    + " (c1, c2), 8080 (c3) and 9090 (c4).",
            Compat.LISTEN_EXPECTED,
            Compat::listen);
    static final Key<Long> COMPAT_HOLD =
            duration("compatHold", "178s", "How long a pop of c1 waits for a job.", 100, 600 * SECOND);

    static final Key<Settings.LogTo> LOG_TO = key(
            "log.to",
            "console",
            "Where the log goes: text on the standard output (console), access.log and error.log in log.dir with a file a"
                    + " day (files), or one JSON object a line on the standard output (json).",
            Values.expected(Settings.LogTo.class),
            Values.oneOf(Settings.LogTo.class));
    static final Key<Path> LOG_DIR =
            key("log.dir", "logs", "Where log files go. Relative to the working directory.", "a path", Values::path);
    static final Key<String> LOG_LEVEL = key(
            "log.level",
            "info",
            "The least that is written.",
            "debug, info, warn or error",
            Values.matching("debug|info|warn|error"));

    /** In the order of the file. */
    public static final List<Key<?>> ALL = List.of(
            HTTP_HOST,
            HTTP_PORT,
            HTTP_MAX_CONNECTIONS,
            HTTP_IDLE,
            HTTP_HEADER_DEADLINE,
            HTTP_TLS_CERTIFICATE,
            HTTP_TLS_KEY,
            DATA_DIR,
            REDIS_URL,
            REDIS_PROGRAM,
            REDIS_PROCESSES,
            REDIS_MODE,
            REDIS_MASTER,
            REDIS_SENTINEL_PASSWORD,
            REDIS_CA,
            REDIS_DEADLINE,
            REDIS_TRY_TIMEOUT,
            REDIS_QUEUE,
            REDIS_ALLOW_EVICTION,
            DURABILITY,
            NAMESPACE,
            BUCKETS,
            INTAKE_LIST,
            ROLES,
            INGRESS,
            SCANNER,
            DISPATCHER,
            GATEWAY,
            WEBHOOK,
            WEBHOOK_ALLOW,
            WEBHOOK_CONNECTIONS,
            TOKENS,
            USERS,
            INSECURE,
            COMPAT,
            COMPAT_TOKEN,
            COMPAT_LISTEN,
            COMPAT_HOLD,
            LOG_TO,
            LOG_DIR,
            LOG_LEVEL);

    static final Set<String> NAMES = ALL.stream().map(Key::name).collect(Collectors.toUnmodifiableSet());
    static final Set<String> SECTIONS = NAMES.stream()
            .filter(name -> name.indexOf('.') > 0)
            .map(name -> name.substring(0, name.indexOf('.')))
            .collect(Collectors.toUnmodifiableSet());

    private KeyTable() {}

    /** What to say of a name that is not in the table, where only a key can stand. */
    static String unknown(String name) {
        return "unknown; the nearest known key is " + Nearest.to(name, NAMES);
    }

    /** The same where a section can stand too. */
    static String unknownKeyOrSection(String name) {
        Set<String> known = new HashSet<>(NAMES);
        known.addAll(SECTIONS);
        return "unknown; the nearest known key is " + Nearest.to(name, known);
    }

    private static <T> Key<T> key(
            String name, String defaultText, String description, String expected, Key.Parser<T> parser) {
        return key(name, defaultText, description, expected, parser, UnaryOperator.identity());
    }

    private static <T> Key<T> key(
            String name,
            String defaultText,
            String description,
            String expected,
            Key.Parser<T> parser,
            UnaryOperator<String> shown) {
        return new Key<>(name, defaultText, description, expected, parser, shown);
    }

    private static Key<Integer> whole(String name, String defaultText, String description, int least, int most) {
        String expected = "a whole number, " + least + " to " + most;
        return key(name, defaultText, description, expected, Values.whole(least, most));
    }

    private static Key<Long> duration(String name, String defaultText, String description, long least, long most) {
        String expected = Durations.EXPECTED + ", " + Durations.text(least) + " to " + Durations.text(most);
        return key(name, defaultText, description, expected, Values.duration(least, most));
    }
}
