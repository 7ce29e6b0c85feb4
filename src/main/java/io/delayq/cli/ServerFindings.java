package io.delayq.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Whether the servers on a namespace can do all that is to be done together. */
final class ServerFindings {
    private static final String CHECK = "servers";

    private ServerFindings() {}

    /** @param servers as GET /v1/servers lists them */
    static List<Finding> of(JsonNode servers) {
        List<Finding> found = new ArrayList<>();
        Set<String> roles = new TreeSet<>();
        Set<String> versions = new TreeSet<>();
        for (JsonNode server : servers) {
            List<String> own = new ArrayList<>();
            server.path("roles").forEach(role -> own.add(Texts.plain(role.asText())));
            roles.addAll(own);
            versions.add(Texts.plain(server.path("version").asText()));
            found.add(Finding.ok(
                    CHECK,
                    Texts.plain(server.path("address").asText()) + " " + String.join(", ", own) + "; scans "
                            + server.path("buckets").size() + " buckets"));
        }
        lacking(roles, "ingress", "no server takes requests", found);
        lacking(roles, "scanner", "no server scans: delayed jobs will not come due", found);
        lacking(roles, "dispatcher", "no server hands jobs to consumers", found);
        if (versions.size() > 1) {
            found.add(Finding.note(CHECK, "of different versions: " + String.join(", ", versions), "update the older"));
        }
        return found;
    }

    private static void lacking(Set<String> roles, String role, String what, List<Finding> found) {
        if (!roles.contains(role)) {
            found.add(Finding.warning(CHECK, what, "start one whose roles include " + role));
        }
    }
}
