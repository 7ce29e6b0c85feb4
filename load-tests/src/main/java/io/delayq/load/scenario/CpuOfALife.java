package io.delayq.load.scenario;

import io.delayq.load.Bench;
import io.delayq.load.Children;
import io.delayq.load.Results;
import io.delayq.load.peer.Beanstalkd;
import io.delayq.load.peer.BullMq;
import io.delayq.load.peer.Delayq;
import io.delayq.load.peer.Peer;
import io.delayq.load.peer.Peer.DrainWork;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntConsumer;

/**
 * F: CPU time that a job costs from its push in a batch over its delay to its ack. BullMQ has no server: what stands
 * there is its library's process, with the producers and the workers in it.
 */
public final class CpuOfALife implements Scenario {
    private static final String VARIANT = "CPU, whole life";
    private static final Set<String> PEERS = Set.of("delayq", "beanstalkd", "bullmq");
    /** Long enough that they are all stored before the first is due. */
    private static final long DELAY_MILLIS = 5_000;

    @Override
    public String name() {
        return "F";
    }

    private static List<Peer> measured(Bench bench) {
        return bench.peers().stream().filter(p -> PEERS.contains(p.name())).toList();
    }

    @Override
    public int steps(Bench bench) {
        return 2 * measured(bench).size();
    }

    @Override
    public void run(Bench bench) {
        int jobs = bench.scale().lives();
        for (Peer peer : measured(bench)) {
            bench.measure(name(), VARIANT + ", warming up", peer, jobs, bar -> live(peer, jobs, bar));
            bench.measure(name(), VARIANT, peer, jobs, bar -> {
                Map<String, Double> before = cpu(peer);
                live(peer, jobs, bar);
                Map<String, Double> after = cpu(peer);
                double all = 0;
                for (String role : after.keySet()) {
                    double used = 1_000 * (after.get(role) - before.get(role)) / jobs;
                    add(bench.results(), role, peer, used);
                    all += used;
                }
                add(bench.results(), "all", peer, all);
            });
        }
    }

    private void add(Results results, String role, Peer peer, double seconds) {
        results.add(new Results.Key(name(), VARIANT, role, "s per 1,000 jobs", false), peer.name(), seconds);
    }

    private static void live(Peer peer, int jobs, IntConsumer bar) throws Exception {
        DrainWork work = new DrainWork(jobs, 16);
        if (peer instanceof Delayq delayq) {
            delayq.drain(work, 1, DELAY_MILLIS, bar);
        } else if (peer instanceof Beanstalkd beanstalkd) {
            beanstalkd.drain(work, DELAY_MILLIS, 1, bar);
        } else if (peer instanceof BullMq bullMq) {
            bullMq.drain(work, DELAY_MILLIS, bar);
        }
    }

    private static Map<String, Double> cpu(Peer peer) throws IOException {
        Map<String, Double> seconds = new LinkedHashMap<>();
        for (Map.Entry<String, Long> process : peer.processes().entrySet()) {
            seconds.put(process.getKey(), Children.cpuSeconds(process.getValue()));
        }
        return seconds;
    }
}
