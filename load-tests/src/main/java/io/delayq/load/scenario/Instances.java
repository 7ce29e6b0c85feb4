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
    @Override
    public String name() {
        return "I";
    }

    /** Flags by what they are called in the results. What is the default stands once, as such. */
    private static Map<String, List<String>> ways(Scale scale) {
        Map<String, Integer> defaults = new LinkedHashMap<>();
        defaults.put("instances.ingress", 1);
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
        return Rates.steps(bench.scale()) * ways(bench.scale()).size();
    }

    @Override
    public void run(Bench bench) {
        ways(bench.scale()).forEach((way, flags) -> {
            Delayq delayq = bench.warm(name(), flags);
            if (delayq != null) {
                try {
                    Rates.take(bench, name(), delayq, 1, way);
                } finally {
                    delayq.close();
                }
            }
        });
    }
}
