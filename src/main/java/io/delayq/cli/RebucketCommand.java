package io.delayq.cli;

import io.delayq.config.Settings;
import io.delayq.redis.EmbeddedRedis;
import io.delayq.redis.Rebucket;
import io.delayq.redis.Rebucket.Plan;
import io.delayq.redis.RedisEndpoint;
import io.delayq.redis.RedisTrust;
import io.delayq.redis.StoreException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

@Command(
        description = {
            "Moves all data to another number of buckets. The servers must be stopped.",
            "Takes the settings that serve takes. It may be killed at any moment: run again, it goes on; until it is"
                    + " through, no server starts."
        },
        customSynopsis = "delayq rebucket [-h] [--dry-run] [-c=FILE] --to=N [--name=value ...]",
        footer = {"", "  delayq rebucket --to 16", "  delayq rebucket --to 64 --redis.url=redis://10.0.0.5"})
final class RebucketCommand implements Callable<Integer> {
    private static final int MOST_BUCKETS = 1024;

    private final Context context;

    @ParentCommand
    private RootCommand root;

    @Mixin
    private ConfigFile config;

    @Option(names = "--to", paramLabel = "N", required = true, description = "The new number, 1 to 1024.")
    private int to;

    @Option(names = "--dry-run", description = "Says what it would do, and changes nothing.")
    private boolean dryRun;

    @Parameters(paramLabel = "--name=value", hidden = true)
    private List<String> flags = List.of();

    @Spec
    private CommandSpec spec;

    RebucketCommand(Context context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        if (to < 1 || to > MOST_BUCKETS) {
            throw Failure.usage("--to is " + to + "; expected a number from 1 to " + MOST_BUCKETS);
        }
        Settings settings =
                Loading.settings(config.path(root), context.env(), flags).settings();
        String spreadBy = settings.redis().spreadBy();
        if (spreadBy != null) {
            throw Failure.usage(spreadBy + "; data on several Redis servers cannot be moved yet");
        }
        Vertx vertx = Vertx.vertx();
        try {
            if (settings.redis().url() != null) {
                rebucket(vertx, settings);
            } else {
                withEmbedded(vertx, settings);
            }
        } finally {
            Loading.await(vertx.close());
        }
        return 0;
    }

    private void withEmbedded(Vertx vertx, Settings settings) {
        Settings.Redis set = settings.redis();
        EmbeddedRedis redis = Loading.await(EmbeddedRedis.start(
                vertx, settings.dataDir(), set.program(), set.durability().always()));
        // at Ctrl-C it must not be left behind
        Thread stop = new Thread(() -> Loading.await(redis.stop()), "stop");
        Runtime.getRuntime().addShutdownHook(stop);
        try {
            rebucket(vertx, settings.withRedisUrl(redis.url()));
        } finally {
            Loading.await(redis.stop());
            forget(stop);
        }
    }

    private static void forget(Thread stop) {
        try {
            Runtime.getRuntime().removeShutdownHook(stop);
        } catch (IllegalStateException e) {
            // the process is ending, and the hook finds Redis stopped
        }
    }

    private void rebucket(Vertx vertx, Settings settings) {
        Rebucket rebucket =
                Loading.await(endpoint(vertx, settings).compose(at -> Rebucket.open(vertx, at, settings.namespace())));
        try {
            Plan plan = Loading.await(rebucket.plan(to));
            if (plan.isNothing()) {
                say(
                        plan.from() == 0
                                ? "there are no data yet, so nothing to do: set buckets: " + to
                                : "there are " + to + " buckets already, so nothing to do");
                return;
            }
            say((plan.resumed() ? "goes on to move " : dryRun ? "would move " : "moves ") + what(plan));
            if (!dryRun) {
                move(rebucket, plan);
            }
        } finally {
            Loading.await(rebucket.close());
        }
    }

    private void move(Rebucket rebucket, Plan plan) {
        long millis;
        long moved;
        try (Progress bar = Progress.ofJobs(spec.commandLine().getErr(), context, plan.jobs())) {
            Loading.await(rebucket.run(plan, bar::jobs));
            millis = bar.millis();
            moved = bar.jobs();
        } catch (StoreException e) {
            throw Failure.of(e.getMessage() + "; nothing is lost: run it again to go on");
        }
        say("moved " + moved + " jobs in " + Texts.about(millis) + "; set buckets: " + plan.to()
                + " before you start servers");
    }

    private static String what(Plan plan) {
        return plan.jobs() + " jobs of " + plan.topics() + " topics from " + plan.from() + " buckets to " + plan.to();
    }

    private static Future<RedisEndpoint> endpoint(Vertx vertx, Settings settings) {
        Path ca = settings.redis().ca();
        return ca == null
                ? Future.succeededFuture(new RedisEndpoint(settings.redis()))
                : vertx.executeBlocking(() -> new RedisEndpoint(settings.redis(), RedisTrust.load(ca)));
    }

    private void say(String line) {
        spec.commandLine().getOut().println(line);
        spec.commandLine().getOut().flush();
    }
}
