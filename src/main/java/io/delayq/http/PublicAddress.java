package io.delayq.http;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * Tells which addresses lie on the public internet. Everything else is somebody's own network, or nobody's. An IPv4 address
 * inside an IPv6 one is judged as what it is; where it is a relay's and not the one that is reached, the whole is refused.
 */
final class PublicAddress {
    private static final Range[] NOT_PUBLIC_4 = {
        range("an unspecified address", 8, 0),
        range("a private address", 8, 10),
        range("a shared address of a provider", 10, 100, 64),
        range("a loopback address", 8, 127),
        range("a link-local address", 16, 169, 254),
        range("a private address", 12, 172, 16),
        range("a reserved address", 24, 192, 0, 0),
        range("an address for documentation", 24, 192, 0, 2),
        range("a relay's address", 24, 192, 88, 99),
        range("a private address", 16, 192, 168),
        range("a metadata address", 32, 168, 63, 129, 16),
        range("an address for measurements", 15, 198, 18),
        range("an address for documentation", 24, 198, 51, 100),
        range("an address for documentation", 24, 203, 0, 113),
        range("a multicast address", 4, 224),
        range("a reserved address", 4, 240),
    };
    private static final Range[] NOT_PUBLIC_6 = {
        range("an unspecified address", 128, 0),
        range("a loopback address", 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1),
        range("a private address", 7, 0xfc),
        range("a link-local address", 10, 0xfe, 0x80),
        range("a private address", 10, 0xfe, 0xc0),
        range("a multicast address", 8, 0xff),
        range("a Teredo address", 32, 0x20, 0x01, 0, 0),
        range("a reserved address", 23, 0x20, 0x01, 0),
        range("an address for documentation", 32, 0x20, 0x01, 0x0d, 0xb8),
        range("a 6to4 address", 16, 0x20, 0x02),
        range("an address for documentation", 20, 0x3f, 0xff, 0),
    };
    private static final Range GLOBAL_6 = range("", 3, 0x20);
    private static final Range NAT64 = range("", 96, 0, 0x64, 0xff, 0x9b);
    private static final int BYTES_4 = 4;
    private static final int BYTES_6 = 16;

    /** @param first its first bytes, the rest being 0 */
    private record Range(String kind, int bits, byte[] first) {
        boolean has(byte[] address) {
            for (int bit = 0; bit < bits; bit++) {
                int own = bit / 8 < first.length ? first[bit / 8] : 0;
                if (((own ^ address[bit / 8]) & 0x80 >> bit % 8) != 0) {
                    return false;
                }
            }
            return true;
        }
    }

    private PublicAddress() {}

    private static Range range(String kind, int bits, int... first) {
        byte[] bytes = new byte[first.length];
        for (int i = 0; i < first.length; i++) {
            bytes[i] = (byte) first[i];
        }
        return new Range(kind, bits, bytes);
    }

    /** What kind of address it is, with an article; null if it is a public one. */
    static String otherKind(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (address instanceof Inet4Address || bytes.length == BYTES_4) {
            return kind(NOT_PUBLIC_4, bytes, null);
        }
        if (NAT64.has(bytes)) {
            return kind(NOT_PUBLIC_4, Arrays.copyOfRange(bytes, BYTES_6 - BYTES_4, BYTES_6), null);
        }
        if (isIsatap(bytes)) {
            return "an ISATAP address";
        }
        return kind(NOT_PUBLIC_6, bytes, GLOBAL_6.has(bytes) ? null : "a reserved address");
    }

    private static String kind(Range[] ranges, byte[] address, String otherwise) {
        for (Range range : ranges) {
            if (range.has(address)) {
                return range.kind;
            }
        }
        return otherwise;
    }

    /** An IPv4 address behind 0:5efe, in any network. */
    private static boolean isIsatap(byte[] address) {
        return (address[8] & 0xfd) == 0 && address[9] == 0 && address[10] == 0x5e && (address[11] & 0xff) == 0xfe;
    }

    /** An address from its bytes. One of IPv4 in an IPv6 one (::ffff:1.2.3.4) comes out as IPv4. */
    static InetAddress of(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException(e);
        }
    }
}
