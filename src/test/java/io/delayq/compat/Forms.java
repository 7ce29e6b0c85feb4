package io.delayq.compat;

import io.delayq.path.TestServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;

/** Forms as clients of the third front end send them. */
final class Forms {
    private Forms() {}

    static String save(TestServer server, String form) throws IOException, InterruptedException {
        return server.raw(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/api/task/save"))
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(HttpRequest.BodyPublishers.ofString(form))
                        .build())
                .body();
    }
}
