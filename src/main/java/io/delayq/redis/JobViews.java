package io.delayq.redis;

import io.delayq.job.Backoff;
import io.delayq.job.JobOptions;
import io.delayq.job.JobState;
import io.delayq.job.JobView;
import io.delayq.job.Retry;
import io.delayq.job.TopicSettings;
import io.vertx.core.buffer.Buffer;
import io.vertx.redis.client.Response;
import java.util.Locale;

/** Turns what scripts tell of jobs into views of them. */
final class JobViews {
    private JobViews() {}

    static JobState state(String word) {
        return JobState.valueOf(word.toUpperCase(Locale.ROOT));
    }

    /** What get.lua tells of a job. */
    static JobView one(String topic, String id, Response found) {
        return view(
                topic,
                id,
                state(found.get(0).toString()),
                found.get(1).toLong(),
                found.get(2).toBuffer(),
                found.get(3).toBuffer(),
                SettingsRecord.decode(found.get(4).toString()).settings(),
                log(found.get(5).toString()));
    }

    /** What find.lua tells of a job. */
    static IdStore.Found found(String topic, String id, Response found) {
        Buffer run = found.get(2).toBuffer();
        return new IdStore.Found(
                one(topic, id, found),
                JobRecord.decode(found.get(3).toBuffer()).note(),
                run.length() == 0 ? 0 : RunRecord.decode(run).started());
    }

    /** What list.lua tells of a job. */
    static JobView listed(String topic, JobState state, Response item, TopicSettings settings) {
        return view(
                topic,
                item.get(2).toString(),
                state,
                item.get(3).toLong(),
                item.get(4).toBuffer(),
                item.get(5).toBuffer(),
                settings,
                null);
    }

    /** @param score on the index of its state: due, end of the lease, time of its end */
    private static JobView view(
            String topic,
            String id,
            JobState state,
            long score,
            Buffer packedRun,
            Buffer packedRecord,
            TopicSettings settings,
            String log) {
        RunRecord run = packedRun.length() == 0 ? null : RunRecord.decode(packedRun);
        JobRecord.Decoded record = JobRecord.decode(packedRecord);
        JobOptions options = record.options();
        return new JobView(
                topic,
                id,
                state,
                state == JobState.DELAYED ? score : run == null ? record.created() : run.due(),
                record.created(),
                run == null ? 0 : run.attempts(),
                first(options.ttr(), settings.ttr(), JobOptions.DEFAULT_TTR),
                new Retry(
                        first(
                                options.retry().maxAttempts(),
                                settings.retry().maxAttempts(),
                                Retry.DEFAULT_MAX_ATTEMPTS),
                        first(options.retry().backoff(), settings.retry().backoff(), Backoff.DEFAULT)),
                options,
                state == JobState.RESERVED ? score : null,
                run == null ? null : run.lastError(),
                log,
                record.body());
    }

    private static <T> T first(T own, T ofTopic, T fallback) {
        return own != null ? own : ofTopic != null ? ofTopic : fallback;
    }

    /** Kept as one JSON object a line. */
    private static String log(String lines) {
        return lines.isEmpty() ? null : "[" + lines.strip().replace('\n', ',') + "]";
    }
}
