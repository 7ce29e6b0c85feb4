package io.delayq.job;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** Where a job is delivered by HTTP. A job with one is never reserved by consumers. */
public record Callback(String url, String method, Map<String, String> headers) {
    public static final String DEFAULT_METHOD = "POST";

    public Callback {
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }
}
