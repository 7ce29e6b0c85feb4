package io.delayq.http;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Gathers what is wrong with one input, so that a client learns all of it at once. */
public final class Faults {
    /** A hostile input can hold a fault every few bytes; more than this many are counted but not kept. */
    public static final int MAX_KEPT = 100;

    private static final int LONGEST_SEGMENT = 300;

    private List<Fault> kept = List.of();
    private int count;
    private boolean tooLarge;

    /** @param pointer where in the input, as an RFC 6901 JSON pointer; empty for the whole of it */
    public record Fault(String pointer, String detail) {}

    public void add(String pointer, String detail) {
        if (count++ == 0) {
            kept = new ArrayList<>(4);
        }
        if (kept.size() < MAX_KEPT) {
            kept.add(new Fault(pointer, detail));
        }
    }

    /** A fault that makes the whole input answer 413. */
    public void addTooLarge(String pointer, String detail) {
        add(pointer, detail);
        tooLarge = true;
    }

    /** One more that is not worth wording, the list being full. */
    void countOne() {
        count++;
    }

    public boolean isEmpty() {
        return count == 0;
    }

    boolean isFull() {
        return count >= MAX_KEPT;
    }

    public List<Fault> list() {
        return List.copyOf(kept);
    }

    public Problem toProblem() {
        String found = count == 1 ? "1 fault" : count + " faults";
        String listed = count > MAX_KEPT ? ", of which the first " + MAX_KEPT + " are listed" : "";
        return new Problem(
                tooLarge ? ProblemType.TOO_LARGE : ProblemType.INVALID_REQUEST,
                found + " in the request" + listed + "; correct what errors names and send it again",
                list());
    }

    /** These faults and those of a problem with the same request, each once. */
    Problem and(Problem problem) {
        Faults all = new Faults();
        all.tooLarge = problem.type() == ProblemType.TOO_LARGE;
        Stream.concat(kept.stream(), problem.faults().stream())
                .distinct()
                .forEach(fault -> all.add(fault.pointer(), fault.detail()));
        return all.toProblem();
    }

    public void throwIfAny() {
        if (count > 0) {
            throw toProblem();
        }
    }

    /** {@code pointer} with one more segment; overlong names are cut, lest an answer outgrow its request. */
    public static String child(String pointer, String segment) {
        String name = segment.length() <= LONGEST_SEGMENT ? segment : cut(segment, LONGEST_SEGMENT);
        return pointer + '/' + name.replace("~", "~0").replace("/", "~1");
    }

    /** At most {@code length} characters, never half a surrogate pair, with a mark where it was cut. */
    static String cut(String text, int length) {
        if (text.length() <= length) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(length - 1)) ? length - 1 : length;
        return text.substring(0, end) + "…";
    }
}
