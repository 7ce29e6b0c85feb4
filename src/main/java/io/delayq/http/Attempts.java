package io.delayq.http;

import io.netty.util.NetUtil;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How often a user, and how often an address, may be wrong about a password. Names that are no user's are counted too, so
 * that the answer does not tell them apart. For any thread.
 */
final class Attempts {
    private static final int A_USER = 5;
    private static final long USER_NANOS = 30_000_000_000L;
    private static final int AN_ADDRESS = 20;
    private static final long ADDRESS_NANOS = 5_000_000_000L;
    private static final int MOST_KEPT = 10_000;
    /** Whoever has an IPv6 address has as many of them as fit into the rest. */
    private static final int IPV6_NETWORK = 8;

    /** Not in the map of names: whoever tries many of them must not make us forget these. */
    private final Map<String, Allowance> users = new HashMap<>();

    private final Map<String, Allowance> strangers = new Latest();
    private final Map<String, Allowance> addresses = new Latest();

    /** Drops what was not used for longest. */
    private static final class Latest extends LinkedHashMap<String, Allowance> {
        private static final long serialVersionUID = 1;

        Latest() {
            super(16, 0.75f, true);
        }

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Allowance> eldest) {
            return size() > MOST_KEPT;
        }
    }

    Attempts(Collection<String> users) {
        users.forEach(name -> this.users.put(name, new Allowance(A_USER, USER_NANOS)));
    }

    /** Counts a try, for wrong until it is given back. @return nanoseconds to wait before the next, 0: go on */
    synchronized long begin(String name, String address, long now) {
        Allowance user = user(name);
        long wait = user.take(now);
        if (wait > 0) {
            return wait;
        }
        wait = address(address).take(now);
        if (wait > 0) {
            user.giveBack();
        }
        return wait;
    }

    synchronized void giveBack(String name, String address) {
        user(name).giveBack();
        address(address).giveBack();
    }

    private Allowance user(String name) {
        Allowance user = users.get(name);
        return user != null ? user : strangers.computeIfAbsent(name, n -> new Allowance(A_USER, USER_NANOS));
    }

    private Allowance address(String address) {
        return addresses.computeIfAbsent(network(address), n -> new Allowance(AN_ADDRESS, ADDRESS_NANOS));
    }

    private static String network(String address) {
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(address);
        return bytes == null || bytes.length <= IPV6_NETWORK
                ? address
                : HexFormat.of().formatHex(Arrays.copyOf(bytes, IPV6_NETWORK));
    }
}
