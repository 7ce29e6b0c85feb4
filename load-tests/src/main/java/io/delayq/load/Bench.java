package io.delayq.load;

import io.delayq.load.peer.Delayq;
import io.delayq.load.peer.Peer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntConsumer;

/** What a scenario works with: the systems that are up, and where figures go. */
public final class Bench {
    private final Scale scale;
    private final Results results;
    private final Progress progress;
    private final List<Peer> peers;
    private final Function<List<String>, Delayq> another;
    private final Path work;

    /** @param another makes a delayq with these flags, not yet started */
    Bench(
            Scale scale,
            Results results,
            Progress progress,
            List<Peer> peers,
            Function<List<String>, Delayq> another,
            Path work) {
        this.scale = scale;
        this.results = results;
        this.progress = progress;
        this.peers = new ArrayList<>(peers);
        this.another = another;
        this.work = work;
    }

    /** A figure, or several by {@link Results#add}; what it throws is a failed check of that system. */
    public interface Work {
        void run(IntConsumer progress) throws Exception;
    }

    public Scale scale() {
        return scale;
    }

    public Results results() {
        return results;
    }

    public Progress progress() {
        return progress;
    }

    /** Those that are up, delayq first. */
    public List<Peer> peers() {
        return peers;
    }

    public Delayq delayq() {
        return (Delayq) peers.get(0);
    }

    public Delayq another(List<String> flags) {
        return another.apply(flags);
    }

    public Path work() {
        return work;
    }

    /** Runs one step and empties the system after it, also when it failed. */
    public void measure(String scenario, String variant, Peer peer, int most, Work work) {
        IntConsumer bar = progress.step(scenario + " " + variant + ": " + peer.name(), most);
        try {
            work.run(bar);
        } catch (Exception e) {
            results.failed(new Results.Failure(scenario, variant, peer.name(), why(e)));
        }
        try {
            peer.clear();
        } catch (Exception e) {
            results.failed(new Results.Failure(scenario, variant, peer.name(), "cannot be emptied: " + why(e)));
        }
        progress.stepDone();
    }

    static String why(Throwable e) {
        return e.getMessage() == null ? e.toString() : e.getMessage();
    }
}
