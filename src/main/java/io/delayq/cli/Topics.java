package io.delayq.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;

/** All topics of a server, page by page. */
final class Topics {
    private static final int PAGE = 500;

    private Topics() {}

    static ArrayNode all(Remote remote, String prefix) {
        ArrayNode all = Texts.object().putArray("topics");
        String cursor = "";
        do {
            JsonNode page = remote.get("/v1/topics?limit=" + PAGE + "&prefix=" + Remote.encode(prefix)
                            + (cursor.isEmpty() ? "" : "&cursor=" + Remote.encode(cursor)))
                    .json();
            page.path("topics").forEach(all::add);
            cursor = page.path("cursor").asText("");
        } while (!cursor.isEmpty());
        return all;
    }
}
