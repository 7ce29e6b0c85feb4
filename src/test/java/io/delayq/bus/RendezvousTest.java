package io.delayq.bus;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RendezvousTest {
    private static final int BUCKETS = 1_024;

    private static List<String> servers(int count) {
        List<String> servers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            servers.add(new UUID(7, i).toString());
        }
        return servers;
    }

    @Test
    void every_bucket_has_one_server_whatever_the_order_they_are_named_in() {
        List<String> servers = servers(5);
        List<String> turned = new ArrayList<>(servers);
        Collections.reverse(turned);
        Set<Integer> all = new HashSet<>();
        for (String server : servers) {
            Set<Integer> own = Rendezvous.bucketsOf(server, servers, BUCKETS);
            assertEquals(own, Rendezvous.bucketsOf(server, turned, BUCKETS));
            own.forEach(bucket -> assertTrue(all.add(bucket), bucket + " has two"));
        }
        assertEquals(BUCKETS, all.size());
    }

    @Test
    void when_one_leaves_only_its_buckets_move() {
        List<String> before = servers(4);
        List<String> after = before.subList(1, 4);
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            String owner = Rendezvous.owner(before, bucket);
            if (!owner.equals(before.get(0))) {
                assertEquals(owner, Rendezvous.owner(after, bucket));
            }
        }
    }

    @Test
    void each_server_has_about_its_share() {
        List<String> servers = servers(4);
        for (String server : servers) {
            int own = Rendezvous.bucketsOf(server, servers, BUCKETS).size();
            assertTrue(own > BUCKETS / 4 * 0.8 && own < BUCKETS / 4 * 1.2, own + " of " + BUCKETS);
        }
    }

    @Test
    void without_servers_nobody_has_a_bucket() {
        assertNull(Rendezvous.owner(List.of(), 0));
    }
}
