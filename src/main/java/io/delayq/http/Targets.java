package io.delayq.http;

import io.delayq.config.AllowList;
import io.delayq.job.Callback;
import io.netty.util.NetUtil;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Decides where callbacks may go: to the public internet and to what the operator allows, so that whoever may push a job
 * cannot reach the servers' own network through it. Looked at twice: at the push, so that the client is told, and at the
 * call, since a name may have another address by then. Addresses have one spelling each here; what could be read in more
 * than one way is refused.
 */
public final class Targets {
    private static final long PUSH_MILLIS = 200;
    private static final Pattern NAME =
            Pattern.compile("(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*");
    private static final Pattern ENDS_IN_NUMBER = Pattern.compile("(.*\\.)?([0-9]+|0x[0-9a-f]*)\\.?");
    private static final Pattern DECIMAL_QUAD =
            Pattern.compile("((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(\\.(?!$)|$)){4}");
    private static final String EXPECTED_IPV6 = "expected an IPv6 address without a zone, such as [2606:2800:21f::1]";
    private static final String ALLOW = "the setting webhook.allow opens others";

    private final AllowList allow;
    private final Resolver resolver;

    /** A host that callbacks may not go to. */
    public static final class Refused extends RuntimeException {
        Refused(String message) {
            super(message, null, false, false);
        }
    }

    /** @param address null if it is a name */
    private record Host(String name, InetAddress address, String fault) {}

    public Targets(AllowList allow, Resolver resolver) {
        this.allow = allow;
        this.resolver = resolver;
    }

    /** What is wrong with a callback's url, as far as can be told without a name server; null: nothing. */
    public String fault(String url) {
        try {
            return host(new URI(url)).fault;
        } catch (URISyntaxException e) {
            return "expected an http or https address; this is not a valid URI";
        }
    }

    /**
     * What a name server adds to that, for a url without a fault. A name that is not found in a short time is let pass:
     * it is looked at again at the call.
     *
     * @return null: nothing is wrong
     */
    public Future<String> faultOfName(String url) {
        Host host = host(URI.create(url));
        if (host.address != null || allow.hasHost(host.name)) {
            return Future.succeededFuture();
        }
        return resolver.resolve(host.name)
                .timeout(PUSH_MILLIS, TimeUnit.MILLISECONDS)
                .map(addresses -> {
                    InetAddress bad = firstBad(addresses);
                    return bad == null ? null : refusal(host.name, bad);
                })
                .otherwiseEmpty();
    }

    /** Fails with a {@link Problem} if the callback's name has an address that it may not have; null is no callback. */
    public Future<Void> check(Callback callback) {
        return callback == null
                ? Future.succeededFuture()
                : faultOfName(callback.url())
                        .compose(fault -> fault == null
                                ? Future.succeededFuture()
                                : Future.failedFuture(Problem.invalid("/callback/url", fault)));
    }

    /**
     * The addresses to call now, in the order they came. Fails with {@link Refused} if any of them may not be called, and
     * otherwise if there is none.
     */
    public Future<List<InetAddress>> resolved(URI url) {
        Host host = host(url);
        if (host.fault != null) {
            return Future.failedFuture(new Refused(host.fault));
        }
        if (host.address != null) {
            return Future.succeededFuture(List.of(host.address));
        }
        return resolver.resolve(host.name).compose(addresses -> {
            if (addresses.isEmpty()) {
                return Future.failedFuture("no address");
            }
            InetAddress bad = allow.hasHost(host.name) ? null : firstBad(addresses);
            return bad == null
                    ? Future.succeededFuture(addresses)
                    : Future.failedFuture(new Refused(refusal(host.name, bad)));
        });
    }

    private Host host(URI url) {
        String given = url.getHost();
        if (given == null || url.getRawUserInfo() != null) {
            return faulty("expected an address with a host (letters, digits, dots and dashes, or an IP address)");
        }
        String text = given.toLowerCase(Locale.ROOT);
        if (text.startsWith("[")) {
            return ipv6(text);
        }
        if (ENDS_IN_NUMBER.matcher(text).matches()) {
            return DECIMAL_QUAD.matcher(text).matches()
                    ? judged(PublicAddress.of(NetUtil.createByteArrayFromIpAddressString(text)))
                    : faulty("expected an IPv4 address as four decimal numbers, such as 93.184.215.14");
        }
        String name = text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
        if (!NAME.matcher(name).matches()) {
            return faulty("expected a host of letters, digits, dots and dashes");
        }
        boolean isLocal = name.equals("localhost") || name.endsWith(".localhost");
        return isLocal && !allow.hasHost(name)
                ? faulty(refusal(name + " is this machine"))
                : new Host(name, null, null);
    }

    /** The brackets tell the JDK that this is no name, so it asks nobody. */
    private Host ipv6(String text) {
        try {
            return text.indexOf('%') < 0 ? judged(InetAddress.getByName(text)) : faulty(EXPECTED_IPV6);
        } catch (UnknownHostException e) {
            return faulty(EXPECTED_IPV6);
        }
    }

    private Host judged(InetAddress address) {
        return isBad(address)
                ? faulty(refusal(address.getHostAddress() + " is " + PublicAddress.otherKind(address)))
                : new Host(address.getHostAddress(), address, null);
    }

    private static Host faulty(String fault) {
        return new Host(null, null, fault);
    }

    private InetAddress firstBad(List<InetAddress> addresses) {
        return addresses.stream().filter(this::isBad).findFirst().orElse(null);
    }

    private boolean isBad(InetAddress address) {
        return PublicAddress.otherKind(address) != null && !allow.has(address);
    }

    /** Without the address: whoever pushes need not learn how names inside are spread. */
    private static String refusal(String name, InetAddress bad) {
        return refusal(name + " has " + PublicAddress.otherKind(bad));
    }

    private static String refusal(String found) {
        return "expected a host on the public internet, but " + found + "; " + ALLOW;
    }
}
