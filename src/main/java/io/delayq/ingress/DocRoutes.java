package io.delayq.ingress;

import io.delayq.http.Answer;
import io.delayq.http.Api;
import io.delayq.http.Call;
import io.delayq.http.ProblemType;
import io.delayq.http.Right;
import io.delayq.ingress.docs.Docs;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;

/** The descriptions of the wire contract, for machines and as pages for people. */
final class DocRoutes {
    private static final int NO_BODY = 1024;
    private static final String YAML = "application/yaml";
    private static final String HTML = "text/html; charset=utf-8";

    private final Vertx vertx;
    /** Null until someone asks: most servers are never asked. */
    private Future<Docs> docs;

    private DocRoutes(Vertx vertx) {
        this.vertx = vertx;
    }

    /** @param vertx null: only for whoever asks what routes there are */
    static void routes(Vertx vertx, Api api) {
        DocRoutes routes = new DocRoutes(vertx);
        api.route(HttpMethod.GET, Docs.OPEN_API, Right.NONE, NO_BODY, call -> routes.file(Docs.OPEN_API))
                .route(HttpMethod.GET, Docs.ASYNC_API, Right.NONE, NO_BODY, call -> routes.file(Docs.ASYNC_API))
                .route(HttpMethod.GET, "/docs", Right.NONE, NO_BODY, call -> routes.docs()
                        .map(pages -> page(pages, pages.api())))
                .route(HttpMethod.GET, "/problems/:name", Right.NONE, NO_BODY, routes::problem);
    }

    private Future<Answer> file(String name) {
        return vertx.executeBlocking(() -> Answer.text(YAML, Docs.resource(name)));
    }

    private Future<Answer> problem(Call call) {
        String path = "/problems/" + call.segments().get(1);
        return docs().map(pages -> {
            if (!pages.problems().containsKey(path)) {
                throw ProblemType.NOT_FOUND.with("there is no problem of that name; /docs lists them all");
            }
            return page(pages, pages.problems().get(path));
        });
    }

    private Future<Docs> docs() {
        if (docs == null) {
            docs = vertx.executeBlocking(Docs::render);
        }
        return docs;
    }

    private static Answer page(Docs pages, String html) {
        return new Answer(200, HTML, Buffer.buffer(html), pages.headers());
    }
}
