package io.delayq.ingress;

import io.delayq.http.Answer;
import io.delayq.http.Call;
import io.delayq.http.Faults;
import io.delayq.http.JobJson;
import io.delayq.http.Problem;
import io.delayq.http.QueryReader;
import io.delayq.http.SettingsJson;
import io.delayq.http.SettingsRequest;
import io.delayq.http.Targets;
import io.delayq.http.TopicRequest;
import io.delayq.job.Names;
import io.delayq.job.TopicCounts;
import io.delayq.job.TopicSettings;
import io.delayq.ops.Meters;
import io.delayq.redis.Store;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/** Looking at topics, setting, pausing and deleting them. */
final class TopicRoutes {
    private final Store store;
    private final Targets targets;
    private final Meters meters;

    TopicRoutes(Store store, Targets targets, Meters meters) {
        this.store = store;
        this.targets = targets;
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
        String topic = call.topic();
        Future<List<TopicCounts>> counts = store.counts(List.of(topic));
        Future<TopicSettings> settings =
                call.caller().isAdmin() ? store.topics().settings(topic) : Future.succeededFuture();
        return Future.all(counts, settings).map(both -> {
            if (counts.result().isEmpty()) {
                throw Problem.topicNotFound(topic);
            }
            return Answer.json(200, shown(counts.result().get(0), settings.result(), call));
        });
    }

    /** A topic that was made between the two questions has no settings yet. */
    private Buffer shown(TopicCounts counts, TopicSettings settings, Call call) {
        Buffer out = Buffer.buffer(128);
        JobJson.topic(
                out,
                counts,
                meters.subscribers(counts.topic()),
                call.caller().isAdmin() ? SettingsJson.write(settings == null ? TopicSettings.NONE : settings) : null);
        return out;
    }

    /** Answers when every process obeys the settings. */
    Future<Answer> configure(Call call) {
        call.refuseQuery();
        TopicSettings settings = SettingsRequest.read(call.body(), targets);
        if (settings.redisList() != null && store.isOwnKey(settings.redisList().key())) {
            throw Problem.invalid("/redisList/key", "expected a key outside of those that delayq keeps its jobs in");
        }
        String topic = call.topic();
        return targets.check(settings.callback())
                .compose(fine -> store.topics().configure(topic, settings))
                .map(done -> Answer.json(200, SettingsJson.write(settings)));
    }

    Future<Answer> delete(Call call) {
        call.refuseQuery();
        TopicRequest.nothing(call.body());
        String topic = call.topic();
        return TopicJobsRoutes.existing(store, topic, () -> store.topics().delete(topic, call::isGone))
                .map(count -> TopicJobsRoutes.counted(call, "deleted", count));
    }

    Future<Answer> pause(Call call) {
        return pause(call, true);
    }

    Future<Answer> resume(Call call) {
        return pause(call, false);
    }

    private Future<Answer> pause(Call call, boolean paused) {
        call.refuseQuery();
        TopicRequest.nothing(call.body());
        String topic = call.topic();
        return TopicJobsRoutes.existing(store, topic, () -> store.topics().pause(topic, paused))
                .map(done -> Answer.empty());
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
