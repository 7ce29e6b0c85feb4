package io.delayq.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Everything that can be set, checked once at start by {@link SettingsLoader}. {@code conf/delayq.yaml} has each name with
 * its default and meaning.
 *
 * @param insecure listen without tokens on an address that is not loopback
 * @param intakeList key of the Redis list that others may put jobs on; null: none
 * @param users who may look at the dashboard where tokens are set
 */
public record Settings(
        Http http,
        Path dataDir,
        Redis redis,
        String namespace,
        int buckets,
        Instances instances,
        List<Token> tokens,
        boolean insecure,
        FrontEnds frontEnds,
        String intakeList,
        Webhook webhook,
        List<User> users,
        Log log) {

    public Settings {
        tokens = List.copyOf(tokens);
        users = List.copyOf(users);
    }

    /** Without front ends, an intake and users, and with callbacks and logs as they are by default. */
    public Settings(
            Http http,
            Path dataDir,
            Redis redis,
            String namespace,
            int buckets,
            Instances instances,
            List<Token> tokens,
            boolean insecure) {
        this(
                http,
                dataDir,
                redis,
                namespace,
                buckets,
                instances,
                tokens,
                insecure,
                FrontEnds.NONE,
                null,
                Webhook.DEFAULT,
                List.of(),
                Log.DEFAULT);
    }

    /** Which older delay queues' clients are served. */
    public Set<Compat> compat() {
        return frontEnds.on;
    }

    /** What holds when nothing is set; a start for tests. */
    public static Settings defaults() {
        return Resolution.ofDefaults().settings();
    }

    /**
     * @param maxConnections open connections at a time; further ones are closed at once
     * @param idleMillis how long a kept-alive connection may wait for its next request
     * @param headerMillis how long the headers of a request may take, and a body may stall or come too slowly
     * @param tls null: plain HTTP
     */
    public record Http(String host, int port, int maxConnections, long idleMillis, long headerMillis, Tls tls) {
        public Http(String host, int port, int maxConnections, long idleMillis, long headerMillis) {
            this(host, port, maxConnections, idleMillis, headerMillis, null);
        }

        public String scheme() {
            return tls == null ? "http" : "https";
        }

        Http at(String otherHost, int otherPort) {
            return new Http(otherHost, otherPort, maxConnections, idleMillis, headerMillis, tls);
        }
    }

    /** PEM files: the certificate with those it was signed by, and its private key. */
    public record Tls(Path certificate, Path key) {}

    /** What {@link Redis#url} names. */
    public enum Mode {
        STANDALONE,
        REPLICATION,
        SENTINEL,
        CLUSTER,
        SHARDS
    }

    /**
     * What a write must have reached before it is answered.
     *
     * @param always Redis' disk
     * @param replicas so many replicas' memory; 0: none is waited for
     */
    public record Durability(boolean always, int replicas) {
        public static final Durability EVERYSEC = new Durability(false, 0);
        public static final Durability ALWAYS = new Durability(true, 0);

        public static Durability replicas(int count) {
            return new Durability(false, count);
        }

        @Override
        public String toString() {
            return replicas > 0 ? "replicas:" + replicas : always ? "always" : "everysec";
        }
    }

    /**
     * How the nodes behind {@link Redis#url} belong together.
     *
     * @param master what the sentinels call it
     * @param sentinelPassword null: they ask for none
     */
    public record Topology(Mode mode, String master, String sentinelPassword) {
        Topology in(Mode other) {
            return new Topology(other, master, sentinelPassword);
        }

        @Override
        public String toString() {
            return "Topology[mode=" + mode + ", master=" + master + "]";
        }
    }

    /**
     * @param url null: the embedded server is started; several addresses are separated by commas
     * @param deadlineMillis how long one request may take in all, repetitions included
     * @param tryMillis how long one try may take before its connection is given up
     * @param queue most jobs and calls waiting for Redis in one verticle instance; more answer 503
     * @param ca PEM file with certificates to trust besides Java's, null: none
     * @param program what to start as the embedded server, null: what the jar brings
     * @param allowEviction use a Redis that evicts keys when it is full
     * @param processes how many embedded servers share the buckets
     */
    public record Redis(
            String url,
            long deadlineMillis,
            long tryMillis,
            int queue,
            Path ca,
            Path program,
            Topology topology,
            Durability durability,
            boolean allowEviction,
            int processes) {
        /** With one embedded server, if any. */
        public Redis(
                String url,
                long deadlineMillis,
                long tryMillis,
                int queue,
                Path ca,
                Path program,
                Topology topology,
                Durability durability,
                boolean allowEviction) {
            this(url, deadlineMillis, tryMillis, queue, ca, program, topology, durability, allowEviction, 1);
        }

        @Override
        public String toString() {
            return "Redis[url=" + redacted() + ", deadlineMillis=" + deadlineMillis + ", tryMillis=" + tryMillis
                    + ", queue=" + queue + ", ca=" + ca + ", program=" + program + ", topology=" + topology
                    + ", durability=" + durability + ", allowEviction=" + allowEviction
                    + ", processes=" + processes + "]";
        }

        public Mode mode() {
            return topology.mode;
        }

        /**
         * By which setting the buckets lie on several servers, null if they lie on one. A key of others, which is in no
         * bucket, could not be reached by a script then.
         */
        public String spreadBy() {
            if (mode() == Mode.CLUSTER || mode() == Mode.SHARDS) {
                return "redis.mode is " + Values.spelled(mode());
            }
            return processes > 1 ? "redis.processes is " + processes : null;
        }

        /** One or more, each whole; none for the embedded server. */
        public List<String> urls() {
            return url == null ? List.of() : RedisUrl.split(url);
        }

        /** The addresses without user and password. */
        public String redacted() {
            return url == null
                    ? "embedded"
                    : urls().stream().map(Redis::redacted).collect(Collectors.joining(","));
        }

        /** One address without user and password. */
        public static String redacted(String url) {
            return url.replaceFirst("//.*@", "//");
        }

        public Redis withUrl(String other) {
            return with(other, queue, ca, topology, durability, allowEviction, processes);
        }

        public Redis withQueue(int other) {
            return with(url, other, ca, topology, durability, allowEviction, processes);
        }

        public Redis withCa(Path other) {
            return with(url, queue, other, topology, durability, allowEviction, processes);
        }

        public Redis withTopology(Topology other) {
            return with(url, queue, ca, other, durability, allowEviction, processes);
        }

        public Redis withDurability(Durability other) {
            return with(url, queue, ca, topology, other, allowEviction, processes);
        }

        public Redis withAllowEviction(boolean other) {
            return with(url, queue, ca, topology, durability, other, processes);
        }

        public Redis withProcesses(int other) {
            return with(url, queue, ca, topology, durability, allowEviction, other);
        }

        /** Servers that share the buckets, in this order. */
        public Redis withShards(List<String> urls) {
            return withUrl(String.join(",", urls)).withTopology(topology.in(Mode.SHARDS));
        }

        /** One of them by itself. */
        public Redis withShard(String one) {
            return withUrl(one).withTopology(topology.in(Mode.STANDALONE));
        }

        private Redis with(
                String newUrl,
                int newQueue,
                Path newCa,
                Topology newTopology,
                Durability newDurability,
                boolean newEviction,
                int newProcesses) {
            return new Redis(
                    newUrl,
                    deadlineMillis,
                    tryMillis,
                    newQueue,
                    newCa,
                    program,
                    newTopology,
                    newDurability,
                    newEviction,
                    newProcesses);
        }
    }

    /**
     * How callbacks are made.
     *
     * @param allow where they may go besides the public internet
     * @param connectionsPerHost most calls under way to one host in one verticle instance
     */
    public record Webhook(AllowList allow, int connectionsPerHost) {
        public static final Webhook DEFAULT = new Webhook(AllowList.NONE, 100);
    }

    /** How many of each verticle one process runs; 0: the server does not have this role. */
    public record Instances(int ingress, int scanner, int dispatcher, int gateway, int webhook) {
        Instances only(Set<Role> roles) {
            return new Instances(
                    roles.contains(Role.INGRESS) ? ingress : 0,
                    roles.contains(Role.SCANNER) ? scanner : 0,
                    roles.contains(Role.DISPATCHER) ? dispatcher : 0,
                    roles.contains(Role.GATEWAY) ? gateway : 0,
                    roles.contains(Role.WEBHOOK) ? webhook : 0);
        }

        /** What the server does. */
        public List<Role> roles() {
            List<Role> roles = new ArrayList<>();
            if (ingress > 0) {
                roles.add(Role.INGRESS);
            }
            if (scanner > 0) {
                roles.add(Role.SCANNER);
            }
            if (dispatcher > 0) {
                roles.add(Role.DISPATCHER);
            }
            if (gateway > 0) {
                roles.add(Role.GATEWAY);
            }
            if (webhook > 0) {
                roles.add(Role.WEBHOOK);
            }
            return roles;
        }
    }

    /**
     * Who may call what.
     *
     * @param sha256 hash of the secret, lower-case hex; the secret itself is not kept
     * @param rights some of {@code push}, {@code consume}, {@code admin}
     * @param topics patterns in which {@code *} stands for any run of characters
     * @param requestsPerSecond more are answered 429; 0: any number
     */
    public record Token(String name, String sha256, List<String> rights, List<String> topics, int requestsPerSecond) {
        public Token(String name, String sha256, List<String> rights, List<String> topics) {
            this(name, sha256, rights, topics, 0);
        }

        public Token {
            rights = List.copyOf(rights);
            topics = List.copyOf(topics);
        }

        @Override
        public String toString() {
            return "Token[name=" + name + ", rights=" + rights + ", topics=" + topics + "]";
        }
    }

    /**
     * Who may log in to the dashboard.
     *
     * @param bcrypt hash of the password
     * @param admin may change things too
     */
    public record User(String name, String bcrypt, boolean admin) {
        @Override
        public String toString() {
            return "User[name=" + name + ", admin=" + admin + "]";
        }
    }

    /** Where the log goes. */
    public enum LogTo {
        /** Text on the standard output. */
        CONSOLE,
        /** {@code access.log} and {@code error.log}, a file a day, older ones compressed. */
        FILES,
        /** One JSON object a line on the standard output. */
        JSON
    }

    /**
     * @param dir where {@link LogTo#FILES} are
     * @param level the least that is written: {@code debug}, {@code info}, {@code warn} or {@code error}
     */
    public record Log(LogTo to, Path dir, String level) {
        public static final Log DEFAULT = new Log(LogTo.CONSOLE, Path.of("logs"), "info");
    }

    /** @param host null: that of the main port */
    public record Address(String host, int port) {}

    /**
     * The front ends of older delay queues.
     *
     * @param token name of the token that they run as, since their clients know of none; null: there is none
     * @param listen addresses of their own, where no token is asked for
     * @param holdMillis how long a request for a job waits for one
     */
    public record FrontEnds(Set<Compat> on, String token, Map<Compat, Address> listen, long holdMillis) {
        public static final FrontEnds NONE = new FrontEnds(Set.of(), null, Map.of(), 178_000);

        public FrontEnds {
            on = Set.copyOf(on);
            listen = Map.copyOf(listen);
        }
    }

    public Settings withRedisUrl(String url) {
        return withRedis(redis.withUrl(url));
    }

    public Settings withRedis(Redis other) {
        return with(http, dataDir, other, frontEnds, intakeList, webhook);
    }

    public Settings withWebhook(Webhook other) {
        return with(http, dataDir, redis, frontEnds, intakeList, other);
    }

    /** @param port 0: any free one */
    public Settings withPort(int port) {
        return with(http.at(http.host, port), dataDir, redis, frontEnds, intakeList, webhook);
    }

    /** The same at another address. */
    public Settings at(Address address) {
        return with(http.at(address.host, address.port), dataDir, redis, frontEnds, intakeList, webhook);
    }

    public Settings withDataDir(Path dir) {
        return with(http, dir, redis, frontEnds, intakeList, webhook);
    }

    public Settings withFrontEnds(FrontEnds other) {
        return with(http, dataDir, redis, other, intakeList, webhook);
    }

    /** @param key null: none */
    public Settings withIntakeList(String key) {
        return with(http, dataDir, redis, frontEnds, key, webhook);
    }

    private Settings with(
            Http newHttp, Path newDir, Redis newRedis, FrontEnds newFronts, String newIntake, Webhook newWebhook) {
        return new Settings(
                newHttp,
                newDir,
                newRedis,
                namespace,
                buckets,
                instances,
                tokens,
                insecure,
                newFronts,
                newIntake,
                newWebhook,
                users,
                log);
    }
}
