package io.delayq.client;

/**
 * One of many jobs to push.
 *
 * @param body as in {@link DelayqClient#push}
 */
public record Push(String topic, Object body, PushOptions options) {
    public Push(String topic, Object body) {
        this(topic, body, PushOptions.now());
    }
}
