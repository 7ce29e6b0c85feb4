package io.delayq.load.scenario;

import io.delayq.load.Bench;
import io.delayq.load.Results;
import io.delayq.load.peer.Peer;
import io.delayq.load.peer.Peer.PushWork;
import java.util.List;
import java.util.Set;

/** E: what a job that waits takes, by the length of its id. Peers make their ids themselves, so they are asked once. */
public final class PendingMemory implements Scenario {
    private static final int[] ID_LENGTHS = {6, 8, 20};
    private static final Set<String> PEERS = Set.of("beanstalkd", "bullmq");
    private static final int SEED = 1_000;

    @Override
    public String name() {
        return "E";
    }

    private static List<Peer> others(Bench bench) {
        return bench.peers().stream().filter(p -> PEERS.contains(p.name())).toList();
    }

    @Override
    public int steps(Bench bench) {
        return ID_LENGTHS.length + others(bench).size();
    }

    @Override
    public void run(Bench bench) {
        for (int idLength : ID_LENGTHS) {
            measure(bench, bench.delayq(), idLength, "ids of " + idLength + " characters");
        }
        for (Peer peer : others(bench)) {
            // its figure stands beside our shortest ids
            measure(bench, peer, ID_LENGTHS[0], "ids of " + ID_LENGTHS[0] + " characters");
        }
    }

    private void measure(Bench bench, Peer peer, int idLength, String variant) {
        int jobs = bench.scale().pending();
        bench.measure(name(), variant, peer, jobs, bar -> {
            // what is taken once, however many jobs there are, is not theirs
            peer.push(new PushWork(SEED, 16, 100, 86_400_000, idLength), stored -> {});
            long before = settled(peer);
            peer.push(new PushWork(jobs, 16, 100, 86_400_000, idLength), bar);
            bench.results()
                    .add(
                            new Results.Key(name(), variant, "memory per pending job", "bytes", false),
                            peer.name(),
                            (double) (settled(peer) - before) / jobs);
        });
    }

    /** Until it no longer falls: buffers are given back some time after the work. */
    private static long settled(Peer peer) throws Exception {
        long least = Long.MAX_VALUE;
        for (int same = 0, tries = 0; same < 3 && tries < 50; tries++) {
            Thread.sleep(200);
            long now = peer.memoryBytes();
            same = now < least - 4_096 ? 0 : same + 1;
            least = Math.min(least, now);
        }
        return least;
    }
}
