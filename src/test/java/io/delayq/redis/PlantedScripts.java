package io.delayq.redis;

import java.util.Arrays;

/** A fault in the scripts of this JVM for as long as it is open. */
public final class PlantedScripts implements AutoCloseable {
    private PlantedScripts() {}

    /** Replaces the text in every script that has it; a text that none has is a mistake of the test. */
    public static PlantedScripts plant(String right, String wrong) {
        PlantedScripts planted = new PlantedScripts();
        long places = Arrays.stream(Script.values())
                .filter(script -> script.plant(right, wrong))
                .count();
        if (places == 0) {
            planted.close();
            throw new IllegalArgumentException("no script has the text to replace: " + right);
        }
        return planted;
    }

    @Override
    public void close() {
        Arrays.stream(Script.values()).forEach(Script::heal);
    }
}
