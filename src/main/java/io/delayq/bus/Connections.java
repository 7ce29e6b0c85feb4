package io.delayq.bus;

import java.util.List;

/**
 * Some of the WebSocket connections of a gateway, longest there first.
 *
 * @param more whether there are others
 */
public record Connections(List<One> all, boolean more) {
    /** Asks a gateway for them. */
    public record Wanted() {}

    /**
     * @param since when it came, ms since 1970
     * @param by the name of its token, null if it has none
     * @param lagMillis age of the oldest message on its way to the client
     */
    public record One(
            String id,
            String address,
            String by,
            long since,
            List<Subscribed> subscriptions,
            int unsettled,
            long lagMillis) {
        public One {
            subscriptions = List.copyOf(subscriptions);
        }
    }

    /** @param unsettled jobs that the client has of the topic */
    public record Subscribed(String topic, int prefetch, int unsettled) {}

    public Connections {
        all = List.copyOf(all);
    }
}
