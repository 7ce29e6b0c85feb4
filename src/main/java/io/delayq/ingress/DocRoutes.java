package io.delayq.ingress;

import io.delayq.http.Answer;
import io.delayq.http.Api;
import io.delayq.http.Right;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** The descriptions of the wire contract, for machines. */
final class DocRoutes {
    private static final int NO_BODY = 1024;
    private static final String YAML = "application/yaml";

    private DocRoutes() {}

    /** @param vertx null: only for whoever asks what routes there are */
    static void routes(Vertx vertx, Api api) {
        Future<String> asyncApi = vertx == null ? null : vertx.executeBlocking(() -> resource("/asyncapi.yaml"));
        api.route(
                HttpMethod.GET,
                "/asyncapi.yaml",
                Right.NONE,
                NO_BODY,
                call -> asyncApi.map(text -> Answer.text(YAML, text)));
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = DocRoutes.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
