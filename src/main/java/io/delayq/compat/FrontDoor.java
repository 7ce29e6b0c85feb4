package io.delayq.compat;

import io.delayq.bus.Polls;
import io.delayq.config.Compat;
import io.delayq.config.Settings;
import io.delayq.config.Settings.Address;
import io.delayq.http.Access;
import io.delayq.http.Api;
import io.delayq.http.MoreRoutes;
import io.delayq.http.Targets;
import io.delayq.job.IdSource;
import io.delayq.ops.Meters;
import io.delayq.redis.Store;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Which front ends are served at one address, and as whom their clients act, since they know of no tokens. */
public final class FrontDoor implements MoreRoutes {
    private static final Logger log = LoggerFactory.getLogger(FrontDoor.class);
    /** Those with HTTP. */
    private static final Set<Compat> SPOKEN = EnumSet.of(Compat.C1, Compat.C2, Compat.C3, Compat.C4);

    private final Settings settings;
    private final Meters meters;
    private final Set<Compat> served;
    private final Access.Caller caller;
    private final Targets targets;

    private FrontDoor(Settings settings, Meters meters, Set<Compat> served, Access.Caller caller, Targets targets) {
        this.settings = settings;
        this.meters = meters;
        this.served = served;
        this.caller = caller;
        this.targets = targets;
    }

    /** @param targets where callbacks may go */
    public static FrontDoor ofMainPort(Settings settings, Meters meters, Targets targets) {
        Set<Compat> served = EnumSet.copyOf(SPOKEN);
        served.retainAll(settings.compat());
        Access.Caller caller = caller(settings);
        if (caller == null) {
            served.clear();
        }
        return new FrontDoor(settings, meters, served, caller, targets);
    }

    /** One for each address of their own. Whoever reaches it is asked nothing. */
    public static Map<Address, FrontDoor> ofTheirOwn(Settings settings, Meters meters, Targets targets) {
        Access.Caller caller = caller(settings) == null ? Access.Caller.ANYONE : caller(settings);
        Map<Address, FrontDoor> doors = new LinkedHashMap<>();
        settings.frontEnds().listen().forEach((one, at) -> doors.computeIfAbsent(
                        at, address -> new FrontDoor(settings, meters, EnumSet.noneOf(Compat.class), caller, targets))
                .served
                .add(one));
        return doors;
    }

    /** Null: tokens are set, and none of them is theirs. */
    private static Access.Caller caller(Settings settings) {
        String name = settings.frontEnds().token();
        return settings.tokens().isEmpty()
                ? Access.Caller.ANYONE
                : settings.tokens().stream()
                        .filter(token -> token.name().equals(name))
                        .findFirst()
                        .map(Access.Caller::as)
                        .orElse(null);
    }

    /**
     * Whether tasks of c3 are taken off their Redis list, which no script can reach where the buckets lie on several
     * servers.
     */
    public static boolean takesTasks(Settings settings) {
        return settings.compat().contains(Compat.C3) && settings.redis().spreadBy() == null;
    }

    /** Says at start who is let in where. */
    public static void announce(Settings settings) {
        String token = settings.frontEnds().token();
        for (Compat one : new TreeSet<>(settings.compat())) {
            if (!SPOKEN.contains(one)) {
                continue;
            }
            Address own = settings.frontEnds().listen().get(one);
            boolean main = settings.tokens().isEmpty() || token != null;
            List<String> places = new ArrayList<>();
            if (main) {
                places.add("the main port");
            }
            if (own != null) {
                places.add(own.host() + ":" + own.port());
            }
            if (places.isEmpty()) {
                log.warn(
                        "front end {} is off: tokens are set, and its clients send none;"
                                + " set compatToken, or an address in compatListen",
                        one.word());
            } else {
                log.info(
                        "front end {} is served on {}, {}",
                        one.word(),
                        String.join(" and ", places),
                        token != null ? "without asking for a token, as " + token : "without asking for a token");
            }
        }
        if (settings.compat().contains(Compat.C3)) {
            log.info(
                    takesTasks(settings)
                            ? "front end c3 takes tasks off the Redis list {}"
                            : "front end c3 takes no tasks off the Redis list {}: not on a cluster",
                    C3Task.TOPIC);
        }
    }

    @Override
    public void add(Vertx vertx, Api api, Store store, Polls polls, IdSource ids) {
        boolean handsOut = settings.instances().dispatcher() > 0;
        Core core = new Core(store, handsOut ? polls : null, meters, ids, caller, targets);
        for (Compat one : new TreeSet<>(served)) {
            frontEnd(one, core).routes(api);
        }
    }

    private FrontEnd frontEnd(Compat one, Core core) {
        return switch (one) {
            case C1 -> new C1Front(core, settings.frontEnds().holdMillis());
            case C2 -> new C2Front(core);
            case C3 -> new C3Front(core);
            case C4 -> new C4Front(core);
            case C5 -> throw new IllegalArgumentException("c5 is not spoken over HTTP");
        };
    }
}
