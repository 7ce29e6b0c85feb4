package io.delayq.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.management.UnixOperatingSystemMXBean;
import io.delayq.cli.Finding.Level;
import io.delayq.config.ConfigFaults;
import io.delayq.config.ServerAddress;
import io.delayq.config.Settings;
import io.delayq.config.Settings.Mode;
import io.delayq.config.SettingsLoader;
import io.delayq.redis.RedisCheckup;
import io.vertx.core.Vertx;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(
        description = {
            "Checks the configuration, the server, its Redis and this machine, and says what to do.",
            "Takes the settings that serve takes (behind --). Changes nothing. Exit code 1 if there is a problem;"
                    + " warnings and notes leave it at 0."
        },
        footer = {"", "  delayq doctor -c /etc/delayq.yaml", "  delayq doctor -- --redis.url=redis://10.0.0.5"})
final class DoctorCommand implements Callable<Integer> {
    /** Besides clients' connections: Redis, event loops, jar files, logs. */
    private static final long OWN_FILES = 200;

    private static final int LEVELS = 9;
    private static final int NAMES = 15;

    private final Context context;
    private final List<Finding> findings = new ArrayList<>();

    @ParentCommand
    private RootCommand root;

    @Mixin
    private ConfigFile config;

    @Mixin
    private RemoteOptions options;

    @Parameters(paramLabel = "--name=value", description = "Settings, as for serve.")
    private List<String> flags = List.of();

    @Spec
    private CommandSpec spec;

    DoctorCommand(Context context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        findings.clear();
        Settings settings = configuration();
        server(settings);
        if (settings != null) {
            redis(settings);
            files(settings);
        }
        PrintWriter out = spec.commandLine().getOut();
        long problems = count(Level.PROBLEM);
        if (options.json()) {
            out.println(json(problems == 0));
        } else {
            show(out, problems);
        }
        out.flush();
        return problems == 0 ? 0 : 1;
    }

    /** Null if it has faults. */
    private Settings configuration() {
        Path file = config.path(root);
        try {
            SettingsLoader.Loaded loaded = Loading.settings(file, context.env(), flags);
            findings.add(Finding.ok("configuration", "no faults" + (file == null ? "" : " in " + file)));
            loaded.warnings()
                    .forEach(warning -> findings.add(
                            Finding.note("configuration", warning, "correct the variable's name, or remove it")));
            return loaded.settings();
        } catch (ConfigFaults e) {
            e.faults()
                    .forEach(fault -> findings.add(Finding.problem(
                            "configuration",
                            fault.key() + (fault.given() == null ? "" : ": \"" + fault.given() + "\"") + " ("
                                    + fault.origin() + ")",
                            fault.problem())));
            return null;
        }
    }

    private void server(Settings settings) {
        boolean named = options.given(context) != null;
        if (!named && settings == null) {
            findings.add(Finding.note("server", "not asked, since its settings have faults", "mend them first"));
            return;
        }
        if (!named && settings != null && settings.http().port() == 0) {
            findings.add(Finding.note("server", "http.port is 0, so its port is not known", "name it with --url"));
            return;
        }
        Remote remote = named
                ? options.remote(context, null)
                : new Remote(
                        new ServerAddress(
                                        settings.http().host(), settings.http().port())
                                .url(),
                        options.token(context));
        Remote.Answer answer;
        try {
            answer = remote.ask("GET", "/health/ready", null, Duration.ZERO);
        } catch (Failure e) {
            String remedy = "start one with 'delayq serve', or name another with --url";
            findings.add(
                    named
                            ? Finding.problem("server", "none answers at " + remote.url(), remedy)
                            : Finding.warning("server", "none answers at " + remote.url(), remedy));
            return;
        }
        findings.add(
                answer.status() == 200
                        ? Finding.ok("server", "ready at " + remote.url())
                        : Finding.problem(
                                "server",
                                remote.url() + " answers " + answer.status() + " on /health/ready: "
                                        + Texts.plain(answer.text()),
                                "look at its log"));
        if (answer.status() == 200) {
            servers(remote);
        }
    }

    private void servers(Remote remote) {
        Remote.Answer answer;
        try {
            answer = remote.ask("GET", "/v1/servers", null, Duration.ZERO);
        } catch (Failure e) {
            findings.add(Finding.problem("servers", Texts.plain(e.getMessage()), "look at its log"));
            return;
        }
        if (answer.status() == 200) {
            findings.addAll(ServerFindings.of(answer.json().path("servers")));
        } else {
            findings.add(Finding.note(
                    "servers",
                    "not listed: " + Texts.plain(remote.refusal(answer)),
                    "give a token with the right admin (--token or DELAYQ_TOKEN)"));
        }
    }

    private void redis(Settings settings) {
        Settings.Redis redis = settings.redis();
        if (redis.url() == null) {
            List<String> urls = embedded(settings);
            if (urls.isEmpty()) {
                findings.add(Finding.note(
                        "redis",
                        "embedded, none runs in " + settings.dataDir(),
                        "ask again while the server runs, or set redis.url"));
                return;
            }
            redis = redis.processes() == 1 ? redis.withUrl(urls.get(0)) : redis.withShards(urls);
        }
        Vertx vertx = Vertx.vertx();
        try {
            if (redis.mode() == Mode.CLUSTER) {
                cluster(vertx, redis);
            } else if (redis.mode() == Mode.SHARDS) {
                shards(vertx, redis);
            } else {
                findings.addAll(RedisFindings.of(Loading.await(RedisCheckup.look(vertx, redis))));
            }
        } catch (RuntimeException e) {
            findings.add(silent(redis.redacted(), e));
        } finally {
            Loading.await(vertx.close());
        }
    }

    /** Those that run. If only some do, that is told. */
    private List<String> embedded(Settings settings) {
        int processes = settings.redis().processes();
        List<String> urls = IntStream.rangeClosed(1, processes)
                .mapToObj(number -> RedisCheckup.embedded(settings.dataDir(), number))
                .flatMap(Optional::stream)
                .toList();
        if (!urls.isEmpty() && urls.size() < processes) {
            findings.add(Finding.problem(
                    "redis",
                    urls.size() + " of " + processes + " embedded run in " + settings.dataDir(),
                    "ask again in some seconds; if it is the same then, look at the server's log"));
        }
        return urls;
    }

    private void shards(Vertx vertx, Settings.Redis redis) {
        for (String url : redis.urls()) {
            Settings.Redis one = redis.withShard(url);
            try {
                findings.addAll(RedisFindings.of(one.redacted(), Loading.await(RedisCheckup.look(vertx, one))));
            } catch (RuntimeException e) {
                findings.add(silent(one.redacted(), e));
            }
        }
    }

    private void cluster(Vertx vertx, Settings.Redis redis) {
        RedisCheckup.Cluster cluster = Loading.await(RedisCheckup.cluster(vertx, redis));
        findings.add(RedisFindings.of(cluster));
        for (String master : cluster.masters()) {
            try {
                findings.addAll(RedisFindings.of(master, Loading.await(RedisCheckup.look(vertx, redis, master))));
            } catch (RuntimeException e) {
                findings.add(silent(master, e));
            }
        }
    }

    private static Finding silent(String address, RuntimeException error) {
        return Finding.problem(
                "redis",
                address + " does not answer: " + Texts.plain(String.valueOf(error.getMessage())),
                "start it, or look at redis.url, its password and the network between");
    }

    private void files(Settings settings) {
        if (!(ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system)) {
            return;
        }
        long most = system.getMaxFileDescriptorCount();
        long needed = settings.http().maxConnections() + OWN_FILES;
        String said = most + " open files allowed, up to " + needed + " needed";
        findings.add(
                most >= needed
                        ? Finding.ok("file limit", said)
                        : Finding.problem(
                                "file limit",
                                said,
                                "ulimit -n " + needed + " before serve, or lower http.maxConnections"));
    }

    private long count(Level level) {
        return findings.stream().filter(finding -> finding.level() == level).count();
    }

    private void show(PrintWriter out, long problems) {
        int width = Terminal.width(context);
        for (Finding finding : findings) {
            String style =
                    switch (finding.level()) {
                        case OK -> "@|green ok     |@";
                        case NOTE -> "@|yellow note   |@";
                        case WARNING -> "@|bold,yellow warning|@";
                        case PROBLEM -> "@|bold,red problem|@";
                    };
            Ansi ansi = context.ansi();
            out.println(ansi.string(style) + "  " + finding.check()
                    + " ".repeat(Math.max(1, NAMES - finding.check().length()))
                    + Texts.wrapped(finding.found(), LEVELS + NAMES, width));
            if (finding.remedy() != null) {
                out.println(" ".repeat(LEVELS + NAMES) + "-> "
                        + Texts.wrapped(finding.remedy(), LEVELS + NAMES + 3, width));
            }
        }
        out.println();
        out.println(summary(problems, count(Level.WARNING), count(Level.NOTE)));
    }

    /** "no problems" only where nothing but notes was found. */
    private static String summary(long problems, long warnings, long notes) {
        List<String> parts = new ArrayList<>();
        if (problems > 0) {
            parts.add(problems + (problems == 1 ? " problem" : " problems"));
        } else if (warnings == 0) {
            parts.add("no problems");
        }
        if (warnings > 0) {
            parts.add(warnings + (warnings == 1 ? " warning" : " warnings"));
        }
        if (notes > 0) {
            parts.add(notes + (notes == 1 ? " note" : " notes"));
        }
        return String.join(", ", parts);
    }

    private ObjectNode json(boolean ok) {
        ObjectNode json = Texts.object().put("ok", ok);
        ArrayNode all = json.putArray("findings");
        for (Finding finding : findings) {
            ObjectNode one = all.addObject()
                    .put("check", finding.check())
                    .put("level", finding.level().name().toLowerCase(Locale.ROOT))
                    .put("found", finding.found());
            if (finding.remedy() != null) {
                one.put("remedy", finding.remedy());
            }
        }
        return json;
    }
}
