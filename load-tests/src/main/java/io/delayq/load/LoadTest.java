package io.delayq.load;

import io.delayq.load.net.Stub;
import io.delayq.load.peer.BareRedis;
import io.delayq.load.peer.Beanstalkd;
import io.delayq.load.peer.BullMq;
import io.delayq.load.peer.Delayq;
import io.delayq.load.peer.Peer;
import io.delayq.load.peer.RabbitMq;
import io.delayq.load.peer.RedisProgram;
import io.delayq.load.peer.Redisson;
import io.delayq.load.scenario.Scenario;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs the scenarios on delayq and on what a user might take instead, on this machine and in this run. Started by
 * {@code load-tests/run}, which says where everything is by system properties.
 */
public final class LoadTest {
    private static final WarmUp GUARD_WARM_UP = new WarmUp(3, 0.5);
    /** A CI machine that stands still for a second is no regression. */
    private static final List<String> GUARD_FLAGS = List.of("--redis.deadline=20s", "--redis.tryTimeout=10s");

    private final Options options;
    private final Path home = Path.of(System.getProperty("load.home"));
    private final RedisProgram redis =
            RedisProgram.of(Path.of(System.getProperty("load.jar")), System.getProperty("load.redis", ""));
    private final Path work;
    private final Results results = new Results();
    private final Progress progress = new Progress();
    private final Map<String, Map<String, String>> settings = new LinkedHashMap<>();
    private final Map<String, String> missing = new LinkedHashMap<>();

    private LoadTest(Options options) throws IOException {
        this.options = options;
        Path target = Files.createDirectories(home.resolve("target"));
        work = Files.createTempDirectory(target, "work");
        Children.deleteAtTheEnd(work);
    }

    public static void main(String[] args) throws Exception {
        Options options;
        try {
            options = Options.of(args);
        } catch (IllegalArgumentException e) {
            System.err.println(e.getMessage());
            System.exit(2);
            return;
        }
        LoadTest test = new LoadTest(options);
        System.exit(test.run());
    }

    private int run() throws Exception {
        if (options.guard()) {
            return guard();
        }
        if (options.compare().isEmpty()) {
            return full();
        }
        System.out.println("witnesses: " + witnesses());
        return new Compare(options.scale(), options.only(), progress).run(options.compare(), this::another);
    }

    private int guard() throws Exception {
        long began = System.nanoTime();
        Peer delayq = new Delayq(redis, work, GUARD_FLAGS);
        Peer yardstick = new Beanstalkd(System.getProperty("load.beanstalkd", ""), work);
        if (yardstick.missing() != null) {
            System.err.println("missing: beanstalkd: " + yardstick.missing() + "; a bare Redis is the yardstick");
            yardstick = new BareRedis(redis, work);
        }
        try {
            for (Peer peer : List.of(delayq, yardstick)) {
                peer.start();
                GUARD_WARM_UP.run(peer, progress);
            }
            progress.end();
            return Guard.run(delayq, yardstick, began);
        } finally {
            delayq.close();
            yardstick.close();
        }
    }

    private int full() throws Exception {
        List<Peer> up = new ArrayList<>();
        List<Path> flames;
        try {
            settings.put("load generator", generator());
            settings.get("load generator").put("witnesses", witnesses());
            for (Peer peer : candidates()) {
                bringUp(peer, up);
            }
            if (up.isEmpty() || !up.get(0).name().equals("delayq")) {
                System.err.println("delayq did not start: " + missing.get("delayq"));
                return 1;
            }
            Bench bench = new Bench(options.scale(), results, progress, up, this::another);
            List<Scenario> scenarios = options.only().stream().map(Scenario::of).toList();
            scenarios.forEach(scenario -> progress.expect(scenario.steps(bench)));
            bench.delayq().slowCommands();
            for (Scenario scenario : scenarios) {
                scenario.run(bench);
            }
            flames = options.profile()
                    ? new Profile(bench.delayq(), Files.createDirectories(home.resolve("results")), progress).take()
                    : List.of();
            progress.end();
            Map<String, String> ours = new LinkedHashMap<>(settings.get("delayq"));
            ours.putAll(bench.slow());
            settings.put("delayq", ours);
        } finally {
            up.forEach(Peer::close);
        }
        Report report = new Report(options.scale(), results, settings, missing);
        System.out.println(report.text());
        Path file = home.resolve("results")
                .resolve(LocalDateTime.now().format(DateTimeFormatter.ofPattern("yyyy-MM-dd-HHmm")) + ".json");
        Files.createDirectories(file.getParent());
        Files.writeString(file, report.json());
        System.out.println("written to " + home.getParent().relativize(file));
        List<Path> plots = new ArrayList<>(new Plots(results, file.getParent()).write());
        plots.addAll(flames);
        for (Path plot : plots) {
            System.out.println("plotted in " + home.getParent().relativize(plot));
        }
        return results.failures().isEmpty() ? 0 : 1;
    }

    private Delayq another(List<String> flags) {
        return new Delayq(redis, work, flags);
    }

    /** What it reaches against a server that answers at once, in this run: more than any server here. */
    private Map<String, String> generator() throws IOException {
        int jobs = options.scale().stubbed();
        Map<String, String> reached = new LinkedHashMap<>();
        for (int round = 0; round < 2; round++) {
            reached.put("single pushes, 64 connections, to a stub", perSecond(Stub.pushes(5 * jobs, 64, 1)));
            reached.put("batches of 100, 16 connections, to a stub", perSecond(Stub.pushes(10 * jobs, 16, 100)));
            reached.put("drain with acks, 16 connections, from a stub", perSecond(Stub.drain(10 * jobs)));
        }
        return reached;
    }

    private String witnesses() {
        return Witness.start(home.resolve("target/load.jar"));
    }

    private static String perSecond(double rate) {
        return Report.number(rate) + " jobs/s";
    }

    private List<Peer> candidates() {
        List<Peer> all = new ArrayList<>();
        all.add(new Delayq(redis, work, List.of()));
        if (options.peers().contains("beanstalkd")) {
            all.add(new Beanstalkd(System.getProperty("load.beanstalkd", ""), work));
        }
        if (options.peers().contains("bullmq")) {
            all.add(new BullMq(redis, System.getProperty("load.bullmq", ""), work));
        }
        if (options.peers().contains("redisson")) {
            all.add(new Redisson(redis, work));
        }
        if (options.peers().contains("rabbitmq")) {
            all.add(new RabbitMq(System.getProperty("load.rabbitmq", ""), work));
        }
        return all;
    }

    /** Started and warm; or said to be missing, and why. */
    private void bringUp(Peer peer, List<Peer> up) {
        String why = peer.missing();
        if (why == null) {
            try {
                peer.start();
                Map<String, String> chosen = new LinkedHashMap<>(peer.settings());
                chosen.put("warm-up", options.scale().warmUp().run(peer, progress));
                settings.put(peer.name(), chosen);
                up.add(peer);
                return;
            } catch (Exception e) {
                why = "did not start: " + Bench.why(e);
                peer.close();
            }
        }
        missing.put(peer.name(), why);
        System.err.println("missing: " + peer.name() + ": " + why);
    }
}
