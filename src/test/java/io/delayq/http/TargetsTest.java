package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.config.AllowList;
import io.delayq.config.Allowed;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Where callbacks may go. No name server is asked. */
public class TargetsTest {
    /** Forbidden hosts, in every spelling that some program takes for one. */
    public static List<String> forbidden() {
        return List.of(
                "127.0.0.1",
                "127.8.9.10",
                "127.1",
                "127.0.1",
                "127.0.0.1.",
                "2130706433",
                "017700000001",
                "0x7f000001",
                "0x7f.0.0.1",
                "0x7f.1",
                "0177.0.0.1",
                "0177.0.0.01",
                "127.0.0.01",
                "00000177.0.0.1",
                "0",
                "0.0.0.0",
                "0x0",
                "127.0.0.0x1",
                "127.00.0.1",
                "%31%32%37.0.0.1",
                "127.0.0.1%00",
                "127%2e0%2e0%2e1",
                "\uff11\uff12\uff17.0.0.1",
                "127\u30020\u30020\u30021",
                "\u2460\u2461\u2466.0.0.1",
                "localhost",
                "LOCALHOST",
                "localhost.",
                "a.localhost",
                "[::1]",
                "[0:0:0:0:0:0:0:1]",
                "[0000::0001]",
                "[::]",
                "[::ffff:127.0.0.1]",
                "[::ffff:7f00:1]",
                "[::127.0.0.1]",
                "[::7f00:1]",
                "[0:0:0:0:0:ffff:127.0.0.1]",
                "[64:ff9b::127.0.0.1]",
                "[64:ff9b::a00:1]",
                "[64:ff9b:1::1]",
                "[2002:7f00:1::]",
                "[2002:a00:1::1]",
                "[2001::1]",
                "[2001:0:7f00:1::1]",
                "[2001:db8::1]",
                "[3fff::1]",
                "[fe80::1]",
                "[fe80::1%25eth0]",
                "[fec0::1]",
                "[fc00::1]",
                "[fd00:ec2::254]",
                "[ff02::1]",
                "[100::1]",
                "[2606:4700::5efe:10.0.0.1]",
                "10.0.0.1",
                "10.1",
                "167772161",
                "172.16.0.1",
                "172.31.255.255",
                "192.168.1.1",
                "0xc0a80101",
                "192.168.257",
                "169.254.169.254",
                "2852039166",
                "0251.0376.0251.0376",
                "0xa9fea9fe",
                "169.254.43518",
                "[::ffff:169.254.169.254]",
                "[::ffff:a9fe:a9fe]",
                "168.63.129.16",
                "192.0.0.192",
                "100.100.100.200",
                "100.64.0.1",
                "0.1.2.3",
                "192.0.2.1",
                "198.51.100.7",
                "203.0.113.9",
                "198.18.0.1",
                "192.88.99.1",
                "224.0.0.1",
                "239.255.255.250",
                "240.0.0.1",
                "255.255.255.255",
                "256.0.0.1",
                "127.0.0.1:80@shop.example",
                "shop.example@127.0.0.1",
                "shop.example:80@127.0.0.1",
                "shop.example\\\\@127.0.0.1",
                "127.0.0.1#@a",
                "127.0.0.1?@a",
                "-a.example",
                "a..example",
                ".example",
                "a_b.-c");
    }

    private final List<String> asked = new ArrayList<>();

    @ParameterizedTest
    @MethodSource("forbidden")
    void refuses_a_forbidden_host_however_it_is_spelled(String host) {
        Problem problem = refused(host, AllowList.NONE);
        assertEquals("/callback/url", problem.faults().get(0).pointer());
        assertEquals(1, problem.faults().size());
    }

    /** An address that is allowed must not let another spelling of another one in. */
    @Test
    void at_least_forty_of_these_are_refused_for_what_they_are() {
        assertTrue(forbidden().size() >= 40);
        assertEquals(
                "expected a host on the public internet, but 127.0.0.1 is a loopback address; the setting webhook.allow"
                        + " opens others",
                refused("127.0.0.1", AllowList.NONE).faults().get(0).detail());
        assertEquals(
                "expected an IPv4 address as four decimal numbers, such as 93.184.215.14",
                refused("0177.0.0.1", AllowList.NONE).faults().get(0).detail());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "93.184.215.14",
                "1.1.1.1",
                "172.32.0.1",
                "172.15.0.1",
                "100.128.0.1",
                "169.253.1.1",
                "192.167.1.1",
                "11.0.0.1",
                "223.255.255.255",
                "[2606:2800:21f::1]",
                "[2001:4860:4860::8888]",
                "[64:ff9b::8.8.8.8]",
                "[::ffff:8.8.8.8]",
                "shop.example",
                "Shop.Example.",
                "a-b.c-d.example",
                "xn--bcher-kva.example",
                "localhost.example",
                "127.0.0.1.example",
                "0x7f.example",
            })
    void takes_public_addresses_and_names(String host) {
        assertNotNull(read(host, AllowList.NONE));
    }

    @Test
    void tells_it_with_all_other_faults() {
        Problem problem = assertThrows(
                Problem.class,
                () -> JobRequest.one(
                        "t",
                        null,
                        "{\"ttr\":1,\"callback\":{\"url\":\"http://10.0.0.1/\",\"method\":\"DELETE\"}}"
                                .getBytes(StandardCharsets.UTF_8),
                        null,
                        () -> "x",
                        0,
                        targets(AllowList.NONE)));
        assertEquals(
                List.of("/ttr", "/callback/url", "/callback/method"),
                problem.faults().stream().map(Faults.Fault::pointer).toList());
    }

    @Test
    void takes_what_the_operator_allows_and_nothing_beside_it() {
        AllowList allow = Allowed.of("10.1.0.0/16, localhost, fd00::/8");
        assertNotNull(read("10.1.2.3", allow));
        assertNotNull(read("localhost", allow));
        assertNotNull(read("[fd00::1]", allow));
        refused("10.2.0.1", allow);
        refused("a.localhost", allow);
        refused("10.1.1", allow);
        assertNotNull(read("[::ffff:10.1.2.3]", allow));
    }

    @Test
    void a_name_that_leads_inside_is_refused_when_it_is_asked_for() throws Exception {
        assertEquals(
                "expected a host on the public internet, but inside.example has a private address; the setting"
                        + " webhook.allow opens others",
                ofName("inside.example", AllowList.NONE));
        assertNotNull(ofName("both.example", AllowList.NONE));
        assertNull(ofName("outside.example", AllowList.NONE));
        assertNull(ofName("nowhere.example", AllowList.NONE));
        assertNull(ofName("inside.example", Allowed.of("10.0.0.0/8")));
        asked.clear();
        assertNull(ofName("inside.example", Allowed.of("inside.example")));
        assertNull(ofName("93.184.215.14", AllowList.NONE));
        assertEquals(List.of(), asked);
    }

    @Test
    void a_name_server_that_does_not_answer_holds_nobody_up() throws Exception {
        long before = System.nanoTime();
        assertNull(ofName("slow.example", AllowList.NONE));
        long took = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - before);
        assertTrue(took >= 190 && took < 400, took + " ms");
    }

    @Test
    void at_the_call_every_address_is_looked_at() throws Exception {
        assertEquals(List.of(ip("93.184.215.14"), ip("2606:2800:21f::1")), atCall("outside.example", AllowList.NONE));
        assertEquals(List.of(ip("8.8.8.8")), atCall("8.8.8.8", AllowList.NONE));
        assertEquals(List.of(ip("10.0.0.7")), atCall("inside.example", Allowed.of("inside.example")));
        for (String host : List.of("inside.example", "both.example", "nowhere.example", "10.0.0.1", "localhost")) {
            assertThrows(Exception.class, () -> atCall(host, AllowList.NONE), host);
        }
    }

    private Targets targets(AllowList allow) {
        return new Targets(allow, this::resolve);
    }

    private Future<List<InetAddress>> resolve(String name) {
        asked.add(name);
        return switch (name) {
            case "inside.example" -> Future.succeededFuture(List.of(ip("10.0.0.7")));
            case "both.example" -> Future.succeededFuture(List.of(ip("93.184.215.14"), ip("::1")));
            case "outside.example" -> Future.succeededFuture(List.of(ip("93.184.215.14"), ip("2606:2800:21f::1")));
            case "slow.example" -> Promise.<List<InetAddress>>promise().future();
            default -> Future.failedFuture("no such name");
        };
    }

    private String ofName(String host, AllowList allow) throws Exception {
        return targets(allow)
                .faultOfName("http://" + host + "/")
                .toCompletionStage()
                .toCompletableFuture()
                .get(5, TimeUnit.SECONDS);
    }

    private List<InetAddress> atCall(String host, AllowList allow) throws Exception {
        return targets(allow)
                .resolved(URI.create("http://" + host + "/"))
                .toCompletionStage()
                .toCompletableFuture()
                .get(5, TimeUnit.SECONDS);
    }

    private Problem refused(String host, AllowList allow) {
        return assertThrows(Problem.class, () -> read(host, allow), host);
    }

    private Object read(String host, AllowList allow) {
        byte[] json = ("{\"callback\":{\"url\":\"http://" + host + "/close\"}}").getBytes(StandardCharsets.UTF_8);
        return SettingsRequest.read(json, targets(allow)).callback();
    }

    static InetAddress ip(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
