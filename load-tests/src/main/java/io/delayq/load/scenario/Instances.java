package io.delayq.load.scenario;

import io.delayq.load.Bench;
import io.delayq.load.Scale;
import io.delayq.load.peer.Delayq;
import io.delayq.load.peer.Peer.DrainWork;
import io.delayq.load.peer.Peer.PushWork;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** I: A, B and C with other numbers of verticle instances and buckets, one changed at a time. */
public final class Instances implements Scenario {
    private static final int PARTS = 3;

    @Override
    public String name() {
        return "I";
    }

    /** Flags by what they are called in the results. What is the default stands once, as such. */
    private static Map<String, List<String>> ways(Scale scale) {
        Map<String, Integer> defaults = new LinkedHashMap<>();
        defaults.put("instances.ingress", 2);
        defaults.put("instances.scanner", 1);
        defaults.put("instances.dispatcher", 1);
        defaults.put("instances.gateway", 1);
        defaults.put("buckets", 4);
        Map<String, List<String>> ways = new LinkedHashMap<>();
        ways.put("defaults", List.of());
        defaults.forEach((key, usual) -> {
            List<Integer> values = new ArrayList<>(key.equals("buckets") ? scale.buckets() : scale.instances());
            values.remove(usual);
            values.forEach(value -> ways.put(key + " " + value, List.of("--" + key + "=" + value)));
        });
        return ways;
    }

    @Override
    public int steps(Bench bench) {
        return PARTS * ways(bench.scale()).size();
    }

    @Override
    public void run(Bench bench) {
        ways(bench.scale()).forEach((way, flags) -> {
            Delayq delayq = bench.warm(name(), flags);
            if (delayq != null) {
                try {
                    parts(bench, delayq, way);
                } finally {
                    delayq.close();
                }
            }
        });
    }

    private void parts(Bench bench, Delayq delayq, String way) {
        Scale scale = bench.scale();
        String single = way + ", single pushes, 64 connections";
        bench.measure(name(), single, delayq, scale.fillSingles(), bar -> bench.results()
                .add(
                        Scenario.jobsPerSecond(name(), single),
                        "delayq",
                        delayq.push(new PushWork(scale.fillSingles(), 64, 1), bar)));
        String batched = way + ", batches of 100";
        bench.measure(name(), batched, delayq, scale.fillBatched(), bar -> bench.results()
                .add(
                        Scenario.jobsPerSecond(name(), batched),
                        "delayq",
                        delayq.push(new PushWork(scale.fillBatched(), 16, 100), bar)));
        String drained = way + ", drain with acks";
        bench.measure(name(), drained, delayq, scale.fillDrained(), bar -> bench.results()
                .add(
                        Scenario.jobsPerSecond(name(), drained),
                        "delayq",
                        delayq.drain(new DrainWork(scale.fillDrained(), 16), bar)));
    }
}
