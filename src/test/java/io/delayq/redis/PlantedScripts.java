package io.delayq.redis;

import java.util.Arrays;

/** Faults in the scripts of this JVM. */
public final class PlantedScripts {
    private PlantedScripts() {}

    /** What is done while the fault is there; a server must start in it. */
    public interface Work {
        void run() throws Exception;
    }

    /** Replaces the text in one script; a text that it does not have is a mistake of the test. */
    static void during(Script script, String right, String wrong, Work work) throws Exception {
        try {
            if (!script.plant(right, wrong)) {
                throw new IllegalArgumentException(script.word() + " does not have the text to replace: " + right);
            }
            work.run();
        } finally {
            script.heal();
        }
    }

    /** Replaces the text in every script that has it; a text that none has is a mistake of the test. */
    public static void plant(String right, String wrong) {
        long places = Arrays.stream(Script.values())
                .filter(script -> script.plant(right, wrong))
                .count();
        if (places == 0) {
            throw new IllegalArgumentException("no script has the text to replace: " + right);
        }
    }

    public static void during(String right, String wrong, Work work) throws Exception {
        try {
            plant(right, wrong);
            work.run();
        } finally {
            Arrays.stream(Script.values()).forEach(Script::heal);
        }
    }
}
