package io.delayq.bus;

import io.delayq.ops.Tally;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * What all servers do together, from what each of them says it has done so far: a sum that goes on when servers come and
 * go, and what was added to it lately. Pure.
 */
final class Flow {
    private static final long KEPT_NANOS = 15_000_000_000L;
    /** One that was silent for a while and speaks again is still the same one. */
    private static final long FORGOTTEN_NANOS = 60_000_000_000L;

    private final Map<String, Heard> servers = new HashMap<>();
    private final Deque<Mark> marks = new ArrayDeque<>();
    private Tally sum = Tally.NONE;

    private record Heard(Tally tally, long nanos) {}

    private record Mark(Tally sum, long nanos) {}

    /** What was done in a stretch of time. */
    record Lately(Tally done, double seconds) {
        double rate(int name) {
            return seconds <= 0 ? 0 : done.count(name) / seconds;
        }
    }

    /** All that were heard of now. Of a new one counts what it does from now on. */
    void heard(Map<String, Tally> tallies, long nanos) {
        tallies.forEach((server, tally) -> {
            Heard before = servers.put(server, new Heard(tally, nanos));
            if (before != null) {
                sum = sum.plus(tally.since(before.tally));
            }
        });
        servers.values().removeIf(one -> nanos - one.nanos > FORGOTTEN_NANOS);
        marks.add(new Mark(sum, nanos));
        // the last one older than that is where the longest stretch begins
        while (marks.size() > 2 && nanos - marks.peek().nanos > KEPT_NANOS) {
            marks.poll();
        }
    }

    /** What was done in about the last so many seconds that were heard of. */
    Lately lately(long nanos) {
        if (marks.isEmpty()) {
            return new Lately(Tally.NONE, 0);
        }
        Mark last = marks.peekLast();
        Mark from = last;
        for (Mark mark : (Iterable<Mark>) marks::descendingIterator) {
            from = mark;
            if (last.nanos - mark.nanos >= nanos) {
                break;
            }
        }
        return new Lately(last.sum.since(from.sum), (last.nanos - from.nanos) / 1e9);
    }
}
