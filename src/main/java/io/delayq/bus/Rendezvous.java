package io.delayq.bus;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * Which server scans which bucket: of all servers the one whose hash with the bucket is highest. All servers come to the
 * same answer by themselves, and when one leaves only its own buckets move.
 */
public final class Rendezvous {
    private Rendezvous() {}

    /** The server of a bucket; null if there is none. */
    public static String owner(Collection<String> servers, int bucket) {
        String best = null;
        long highest = 0;
        for (String server : servers) {
            long hash = hash(server, bucket);
            if (best == null || hash > highest || hash == highest && server.compareTo(best) > 0) {
                best = server;
                highest = hash;
            }
        }
        return best;
    }

    public static Set<Integer> bucketsOf(String server, Collection<String> servers, int buckets) {
        Set<Integer> own = new HashSet<>();
        for (int bucket = 0; bucket < buckets; bucket++) {
            if (server.equals(owner(servers, bucket))) {
                own.add(bucket);
            }
        }
        return own;
    }

    /** FNV-1a over the server's name, mixed with the bucket by the last steps of MurmurHash3. */
    private static long hash(String server, int bucket) {
        long hash = 0xcbf29ce484222325L;
        for (byte b : server.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (b & 0xff)) * 0x100000001b3L;
        }
        hash += bucket * 0x9e3779b97f4a7c15L;
        hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
        hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
        return hash ^ (hash >>> 33);
    }
}
