package io.delayq.path;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/** What asyncapi.yaml says of a message. The WebSocket client of the tests asks it for each one that comes. */
final class AsyncApi {
    private static final JsonNode DOCUMENT = OpenApi.yaml("/asyncapi.yaml");

    private AsyncApi() {}

    /** What is wrong with a message of the server. */
    static List<String> faults(String text) {
        JsonNode message = OpenApi.json(text);
        String op = message.path("op").asText();
        JsonNode described = DOCUMENT.at("/components/messages").get(op);
        return described == null
                ? List.of("not described: " + op)
                : Schema.faults(DOCUMENT, described.get("payload"), message);
    }
}
