package io.delayq.ingress;

import io.delayq.http.Answer;
import io.delayq.http.Call;
import io.delayq.http.Faults;
import io.delayq.http.JobJson;
import io.delayq.http.Problem;
import io.delayq.http.QueryReader;
import io.delayq.job.Names;
import io.delayq.ops.Meters;
import io.delayq.redis.Store;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/** Looking at topics. */
final class TopicRoutes {
    private final Store store;
    private final Meters meters;

    TopicRoutes(Store store, Meters meters) {
        this.store = store;
        this.meters = meters;
    }

    Future<Answer> list(Call call) {
        Faults faults = new Faults();
        QueryReader query = QueryReader.read(call.query(), List.of("prefix", "limit", "cursor"), faults);
        int limit = query.limit();
        String after = cursor(query.text("cursor"), faults);
        faults.throwIfAny();
        String prefix = query.text("prefix") == null ? "" : query.text("prefix");
        return store.topics(prefix, after, limit + 1).compose(names -> {
            List<String> page = names.subList(0, Math.min(limit, names.size()));
            List<String> shown = page.stream().filter(call.caller()::mayTouch).toList();
            return store.counts(shown).map(counts -> {
                JobJson.Writer out = JobJson.object()
                        .list(
                                "topics",
                                counts,
                                (buffer, topic) ->
                                        JobJson.topic(buffer, topic, meters.subscribers(topic.topic()), null));
                if (names.size() > limit) {
                    out.text("cursor", encode(page.get(limit - 1)));
                }
                return Answer.json(200, out.end());
            });
        });
    }

    Future<Answer> get(Call call) {
        return store.counts(List.of(call.topic())).map(counts -> {
            if (counts.isEmpty()) {
                throw Problem.topicNotFound(call.topic());
            }
            Buffer out = Buffer.buffer(128);
            JobJson.topic(
                    out,
                    counts.get(0),
                    meters.subscribers(call.topic()),
                    call.caller().isAdmin() ? Buffer.buffer("{}") : null);
            return Answer.json(200, out);
        });
    }

    private static String encode(String cursor) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(cursor.getBytes(StandardCharsets.UTF_8));
    }

    /** The last topic of the page before. */
    private static String cursor(String text, Faults faults) {
        if (text == null) {
            return null;
        }
        try {
            String topic = new String(Base64.getUrlDecoder().decode(text), StandardCharsets.UTF_8);
            if (Names.topicFault(topic) == null) {
                return topic;
            }
        } catch (IllegalArgumentException e) {
            // not ours either way
        }
        faults.add("/cursor", "expected a cursor as it came with the page before");
        return null;
    }
}
