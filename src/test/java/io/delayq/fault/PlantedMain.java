package io.delayq.fault;

import io.delayq.Main;
import io.delayq.redis.PlantedScripts;
import java.util.Arrays;
import java.util.List;

/** The program with a fault in its scripts, for a process of its own. */
final class PlantedMain {
    /** @param wrong stands in for the right text in every script that has it */
    record Fault(String right, String wrong) {
        /** Leases never end. */
        static final Fault NO_LEASE_ENDS =
                new Fault("function serve.l(k, at)\n", "function serve.l(k, at)\n  do return nil end\n");

        List<String> main() {
            return List.of(PlantedMain.class.getName(), right, wrong);
        }
    }

    private PlantedMain() {}

    public static void main(String[] args) {
        PlantedScripts.plant(args[0], args[1]);
        Main.main(Arrays.copyOfRange(args, 2, args.length));
    }
}
