package io.delayq.load.scenario;

import io.delayq.load.Bench;
import io.delayq.load.peer.Delayq;
import io.delayq.load.peer.Peer;
import io.delayq.load.peer.Peer.PushWork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A: one job a request, the next when it is answered. The server draws the ids, in delayq also the client. */
public final class SinglePushes implements Scenario {
    private static final int[] CONNECTIONS = {16, 64};
    private static final Path URING_DISABLED = Path.of("/proc/sys/kernel/io_uring_disabled");
    private static final String URING = "-Ddelayq.transport=io_uring";

    @Override
    public String name() {
        return "A";
    }

    @Override
    public int steps(Bench bench) {
        int variants = CONNECTIONS.length * bench.peers().size() + 1 + (hasUring() ? CONNECTIONS.length : 0);
        return bench.scale().rounds() * variants;
    }

    private static boolean hasUring() {
        try {
            return Files.readString(URING_DISABLED).strip().equals("0");
        } catch (IOException e) {
            // an older kernel, or none of Linux
            return false;
        }
    }

    @Override
    public void run(Bench bench) {
        if (hasUring()) {
            bench.beside(name(), List.of(URING), uring -> run(bench, uring));
        } else {
            run(bench, null);
        }
    }

    private void run(Bench bench, Delayq uring) {
        int jobs = bench.scale().singles();
        for (int round = 0; round < bench.scale().rounds(); round++) {
            for (int connections : CONNECTIONS) {
                PushWork work = new PushWork(jobs, connections, 1);
                String variant = "single pushes, " + connections + " connections";
                for (Peer peer : bench.peers()) {
                    bench.measureRate(name(), variant, peer, jobs, bar -> peer.push(work, bar));
                }
                if (uring != null) {
                    bench.measureRate(name(), variant + ", io_uring", uring, jobs, bar -> uring.push(work, bar));
                }
            }
            bench.measureRate(
                    name(), "single pushes, 64 connections, ids given", bench.delayq(), jobs, bar -> bench.delayq()
                            .push(new PushWork(jobs, 64, 1).withIds(), bar));
        }
    }
}
