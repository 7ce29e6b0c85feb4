package io.delayq.bus;

import io.vertx.core.eventbus.DeliveryOptions;

/**
 * The event bus of one server. Redis is the only truth: a lost message costs time, never a job.
 *
 * <table>
 * <caption>addresses</caption>
 * <tr><th>address</th><th>message</th><th>from</th><th>to</th><th>losing one costs</th></tr>
 * <tr><td>{@link #scanner}</td><td>{@link AlarmHint}</td><td>WakeVerticle</td><td>the bucket's ScannerVerticle</td><td>0.1 s: sent again by the {@link Courier} until answered; a second if it gives up, until the next look</td></tr>
 * <tr><td>{@link #scanner}</td><td>{@link Share}</td><td>HeartbeatVerticle</td><td>every ScannerVerticle</td><td>0.1 s: sent again by the {@link Courier} until answered, and with every heartbeat; a bucket that nobody scans is served by the look each second, one that two scan costs calls</td></tr>
 * <tr><td>{@link #heartbeat}</td><td>{@link ServersHint}</td><td>WakeVerticle</td><td>HeartbeatVerticle</td><td>half a second, until the next heartbeat</td></tr>
 * <tr><td>{@link #pulse}</td><td>{@link Listen}</td><td>IngressVerticle, OpsVerticle</td><td>HeartbeatVerticle</td><td>two seconds: said again while somebody listens</td></tr>
 * <tr><td>{@link #pulse}</td><td>{@link TopicChanged}</td><td>WakeVerticle</td><td>HeartbeatVerticle</td><td>0.1 s: sent again by the {@link Courier} until answered</td></tr>
 * <tr><td>{@link #events}</td><td>{@link Event}</td><td>HeartbeatVerticle</td><td>IngressVerticle, OpsVerticle</td><td>that one event</td></tr>
 * <tr><td>{@link #dispatcher}</td><td>{@link ReadyHint}</td><td>WakeVerticle</td><td>the topic's DispatchVerticle</td><td>0.1 s: sent again by the {@link Courier} until answered; a second if it gives up, until the next look</td></tr>
 * <tr><td>{@link #webhook}</td><td>{@link ReadyHint}</td><td>WakeVerticle</td><td>the topic's WebhookVerticle</td><td>likewise</td></tr>
 * <tr><td>{@link #dispatcher}</td><td>{@link Demand}, {@link Withdrawal}</td><td>rooms with consumers</td><td>the topic's DispatchVerticle</td><td>likewise; a batch for a consumer that left is refused and released</td></tr>
 * <tr><td>{@link #lists}</td><td>{@link ReadyHint}, of topics with a Redis list only</td><td>WakeVerticle</td><td>ListVerticle</td><td>likewise</td></tr>
 * <tr><td>{@link #lists}</td><td>{@link io.delayq.redis.TopicStore.Listed}</td><td>WakeVerticle</td><td>ListVerticle</td><td>likewise: said again with every look</td></tr>
 * <tr><td>{@link #room}</td><td>{@link Batch}, answered with a Boolean: taken or refused</td><td>DispatchVerticle</td><td>the consumer's room</td><td>0.1 s: sent again under the same number until answered</td></tr>
 * <tr><td>{@link #gateway}</td><td>{@link Connections.Wanted}, answered with {@link Connections}</td><td>IngressVerticle, OpsVerticle</td><td>every GatewayVerticle</td><td>its connections in that answer</td></tr>
 * <tr><td>{@link #gateway}</td><td>{@link io.delayq.http.Visitor}, answered with true</td><td>IngressVerticle</td><td>a GatewayVerticle</td><td>the connection is closed, the client comes again</td></tr>
 * </table>
 */
public final class Addresses {
    private final String server;
    private final String prefix;
    private final int scanners;
    private final int dispatchers;
    private final int lists;
    private final int gateways;
    private final int webhooks;

    /**
     * @param server tells the servers in one Vert.x apart
     * @param scanners how many instances there are here, as of the others; 0: this server has not the role
     */
    public Addresses(String server, int scanners, int dispatchers, int lists, int gateways, int webhooks) {
        this.server = server;
        this.prefix = "delayq." + server + ".";
        this.scanners = scanners;
        this.dispatchers = dispatchers;
        this.lists = lists;
        this.gateways = gateways;
        this.webhooks = webhooks;
    }

    public static DeliveryOptions options() {
        return new DeliveryOptions().setCodecName(LocalCodec.NAME).setLocalOnly(true);
    }

    /** The id of this server. */
    public String server() {
        return server;
    }

    public int gateways() {
        return gateways;
    }

    public int scanners() {
        return scanners;
    }

    public boolean hasDispatcher() {
        return dispatchers > 0;
    }

    /** Which scanner instance serves a bucket. */
    public int scannerOf(int bucket) {
        return bucket % scanners;
    }

    public String scanner(int instance) {
        return prefix + "scanner." + instance;
    }

    public String heartbeat() {
        return prefix + "heartbeat";
    }

    public String pulse() {
        return prefix + "pulse";
    }

    public String events() {
        return prefix + "events";
    }

    public String dispatcher(int instance) {
        return prefix + "dispatcher." + instance;
    }

    /** The dispatcher of a topic. */
    public String dispatcherOf(String topic) {
        return dispatcher(Math.floorMod(topic.hashCode(), dispatchers));
    }

    public boolean hasLists() {
        return lists > 0;
    }

    public String lists() {
        return prefix + "lists";
    }

    /** The gateway for a connection, by its number. */
    public String gateway(int number) {
        return prefix + "gateway." + Math.floorMod(number, gateways);
    }

    public boolean hasWebhook() {
        return webhooks > 0;
    }

    public String webhook(int instance) {
        return prefix + "webhook." + instance;
    }

    /** Who makes the callbacks of a topic, by the name that these go under. */
    public String webhookOf(String name) {
        return webhook(Math.floorMod(name.hashCode(), webhooks));
    }

    public String room(String name) {
        return prefix + "room." + name;
    }
}
