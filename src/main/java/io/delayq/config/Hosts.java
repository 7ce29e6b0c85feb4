package io.delayq.config;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/** Host names and addresses, judged by their spelling: nothing here asks a name server, so nothing blocks. */
public final class Hosts {
    static final String EXPECTED = "a host name or an IP address, without a port";

    private static final Pattern NAME = Pattern.compile("(?=.{1,253}$)[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*\\.?");
    private static final Pattern DIGITS_AND_DOTS = Pattern.compile("[0-9.]+");

    private Hosts() {}

    /** Whether only this machine can reach it. Of names only {@code localhost} is known to be. */
    public static boolean isLoopback(String host) {
        byte[] address = NetUtil.createByteArrayFromIpAddressString(host);
        if (address == null) {
            return host.equalsIgnoreCase("localhost");
        }
        try {
            return InetAddress.getByAddress(address).isLoopbackAddress();
        } catch (UnknownHostException e) {
            return false;
        }
    }

    /** An IPv6 address loses its brackets, because that is how it is listened on. */
    static String parse(Object given) throws Refused {
        String host = Values.text(given);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
            if (!NetUtil.isValidIpV6Address(host)) {
                throw new Refused();
            }
        }
        boolean address = host.indexOf(':') >= 0 ? NetUtil.isValidIpV6Address(host) : NetUtil.isValidIpV4Address(host);
        boolean name =
                NAME.matcher(host).matches() && !DIGITS_AND_DOTS.matcher(host).matches();
        if (!address && !name) {
            throw new Refused();
        }
        return host;
    }
}
