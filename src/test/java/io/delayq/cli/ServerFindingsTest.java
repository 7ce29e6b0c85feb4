package io.delayq.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.delayq.cli.Finding.Level;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServerFindingsTest {
    private static final String ALL = "\"ingress\",\"scanner\",\"dispatcher\",\"gateway\"";

    private static String server(String address, String roles, String version) {
        return "{\"address\":\"" + address + "\",\"roles\":[" + roles + "],\"version\":\"" + version
                + "\",\"buckets\":[0,1]}";
    }

    private static List<Finding> of(String... servers) {
        return ServerFindings.of(Texts.json("[" + String.join(",", servers) + "]"));
    }

    @Test
    void each_is_told_of_with_its_roles() {
        assertEquals(
                List.of(
                        Finding.ok("servers", "http://a:1 ingress, scanner, dispatcher, gateway; scans 2 buckets"),
                        Finding.ok("servers", "http://b:1 ingress; scans 2 buckets")),
                of(server("http://a:1", ALL, "1"), server("http://b:1", "\"ingress\"", "1")));
    }

    @Test
    void what_none_of_them_does_is_a_warning() {
        List<Finding> found = of(server("http://a:1", "\"ingress\"", "1"));
        assertEquals(
                List.of(Level.OK, Level.WARNING, Level.WARNING),
                found.stream().map(Finding::level).toList());
        assertEquals(
                "no server scans: delayed jobs will not come due", found.get(1).found());
        assertEquals("start one whose roles include dispatcher", found.get(2).remedy());
    }

    @Test
    void different_versions_are_a_note() {
        Finding last = of(server("http://a:1", ALL, "1.1"), server("http://b:1", ALL, "1.0"))
                .get(2);
        assertEquals(Finding.note("servers", "of different versions: 1.0, 1.1", "update the older"), last);
    }
}
