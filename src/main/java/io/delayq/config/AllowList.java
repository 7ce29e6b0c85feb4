package io.delayq.config;

import io.netty.util.NetUtil;
import io.vertx.core.json.JsonArray;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Where callbacks may go besides the public internet: hosts by their names, and networks. */
public record AllowList(Set<String> hosts, List<Network> networks) {
    public static final AllowList NONE = new AllowList(Set.of(), List.of());

    static final String EXPECTED = "a list of host names, IP addresses and networks such as 10.1.0.0/16";

    public AllowList {
        hosts = Set.copyOf(hosts);
        networks = List.copyOf(networks);
    }

    /** All addresses that begin with the same bits. */
    public record Network(InetAddress first, int bits) {
        boolean has(InetAddress address) {
            byte[] one = first.getAddress();
            byte[] other = address.getAddress();
            if (one.length != other.length) {
                return false;
            }
            for (int bit = 0; bit < bits; bit++) {
                if (((one[bit / 8] ^ other[bit / 8]) & 0x80 >> bit % 8) != 0) {
                    return false;
                }
            }
            return true;
        }
    }

    /** @param host in lower case, without a dot at its end */
    public boolean hasHost(String host) {
        return hosts.contains(host);
    }

    public boolean has(InetAddress address) {
        return networks.stream().anyMatch(network -> network.has(address));
    }

    /** A list, or text with commas: {@code [shop.internal, 10.1.0.0/16]}, where the brackets may be left out. */
    static AllowList parse(Object given) throws Refused {
        Set<String> hosts = new HashSet<>();
        List<Network> networks = new ArrayList<>();
        for (Object entry : entries(given)) {
            if (!(entry instanceof String text)) {
                throw new Refused();
            }
            Network network = network(text);
            if (network == null) {
                hosts.add(Hosts.parse(text).toLowerCase(Locale.ROOT).replaceFirst("\\.$", ""));
            } else {
                networks.add(network);
            }
        }
        return new AllowList(hosts, networks);
    }

    private static List<?> entries(Object given) throws Refused {
        if (given instanceof JsonArray array) {
            return array.getList();
        }
        String text = Values.text(given).strip();
        // the brackets of a list, and not those of an IPv6 address
        String inner = text.matches("\\[.*]") && !text.matches("\\[[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*](/.*)?")
                ? text.substring(1, text.length() - 1).strip()
                : text;
        return inner.isEmpty() ? List.of() : List.of(inner.split("\\s*,\\s*", -1));
    }

    /** Null if it is a name. */
    private static Network network(String text) throws Refused {
        int slash = text.indexOf('/');
        byte[] bytes = NetUtil.createByteArrayFromIpAddressString(slash < 0 ? text : text.substring(0, slash));
        if (bytes == null) {
            if (slash >= 0) {
                throw new Refused();
            }
            return null;
        }
        InetAddress first = address(bytes);
        int most = 8 * first.getAddress().length;
        return new Network(first, slash < 0 ? most : Values.whole(0, most).parse(text.substring(slash + 1)));
    }

    private static InetAddress address(byte[] bytes) throws Refused {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new Refused();
        }
    }
}
