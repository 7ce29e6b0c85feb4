package io.delayq.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.json.JsonArray;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AllowListTest {
    @Test
    void takes_names_addresses_and_networks() throws Exception {
        AllowList list = Allowed.of("Shop.Internal., 10.1.0.0/16, ::1, 192.0.2.7");
        assertEquals(Set.of("shop.internal"), list.hosts());
        assertTrue(list.hasHost("shop.internal"));
        assertFalse(list.hasHost("other.internal"));
        assertEquals(list, AllowList.parse(new JsonArray("[\"shop.internal\",\"10.1.0.0/16\",\"::1\",\"192.0.2.7\"]")));
        assertEquals(AllowList.NONE, Allowed.of("[]"));
        assertEquals(list, Allowed.of("[ shop.internal , 10.1.0.0/16, ::1, 192.0.2.7 ]"));
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.0.0/16, 10.1.255.255, true",
        "10.1.0.0/16, 10.2.0.0, false",
        "10.1.2.3, 10.1.2.3, true",
        "10.1.2.3, 10.1.2.4, false",
        "10.128.0.0/9, 10.200.0.1, true",
        "10.128.0.0/9, 10.127.0.1, false",
        "0.0.0.0/0, 127.0.0.1, true",
        "0.0.0.0/0, ::1, false",
        "fd00::/8, fd12::1, true",
        "fd00::/8, fe80::1, false",
    })
    void a_network_has_what_begins_with_its_bits(String network, String address, boolean has)
            throws UnknownHostException {
        assertEquals(has, Allowed.of(network).has(InetAddress.getByName(address)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "10.0.0.0/",
                "shop/8",
                "http://shop",
                "a b",
                "a,,b",
                "1.2.3",
                "::/129"
            })
    void refuses_what_is_neither(String text) {
        assertThrows(Refused.class, () -> AllowList.parse(text));
    }
}
