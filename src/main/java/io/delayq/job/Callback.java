package io.delayq.job;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Where a job is delivered by HTTP. A job with one is never reserved by consumers. */
public record Callback(String url, String method, Map<String, String> headers) {
    public static final String DEFAULT_METHOD = "POST";

    private static final String BEFORE = "\u0003";

    public Callback {
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }

    /** What hints, demand and reserve call those of a topic's jobs that go by callback; no topic has such a name. */
    public static String jobsOf(String topic) {
        return BEFORE + topic;
    }

    public static boolean isJobsOf(String name) {
        return name.startsWith(BEFORE);
    }

    /** The topic of such a name. */
    public static String topicOf(String name) {
        return name.substring(BEFORE.length());
    }
}
