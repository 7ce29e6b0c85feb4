package io.delayq.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The data model: every key there is. A job belongs to the bucket its id hashes to; all keys of a bucket carry one hash
 * tag, so a bucket lives whole on one Redis Cluster node. Where servers share the buckets, each has a meta. The scripts
 * make the topics' keys from the name of {@code next}, everything else is named here.
 *
 * <table>
 * <caption>after the bucket's tag</caption>
 * <tr><th>key</th><th>type</th><th>holds</th><th>written by</th><th>removed by</th></tr>
 * <tr><td>jobs:&lt;t&gt;</td><td>hash</td><td>id -> record, see {@link JobRecord}</td><td>push, put, own, admit</td><td>ack, finish, enlist, cancel, purge, group, due (expired, kept long enough)</td></tr>
 * <tr><td>clock:&lt;t&gt;</td><td>zset</td><td>lane byte + id, score due ms: waiting for its time</td><td>push, put, own, admit, nack, due, reschedule, release (for a while)</td><td>due, put, own, finish, cancel, reschedule, purge, group</td></tr>
 * <tr><td>ready:&lt;t&gt;:h :n :l :c</td><td>list</td><td>ids ready to run, oldest due first, by priority; c: by callback</td><td>push, put, own, admit, due, nack, release, reschedule, requeue</td><td>reserve, enlist, purge, due (ghosts), whatever makes the last one a ghost</td></tr>
 * <tr><td>ghosts:&lt;t&gt;</td><td>set</td><td>lane byte + id of ready entries whose job has left: each is dropped when popped, or comes back to life with its job</td><td>cancel, finish, put, own, reschedule, purge, group, due (expired)</td><td>reserve, enlist, due, or whatever makes the job ready again</td></tr>
 * <tr><td>heads:&lt;t&gt;</td><td>hash</td><td>lane -> how many entries have left its head; only while somebody pages through the ready jobs</td><td>list, and whatever pops</td><td>expires ten minutes after the last page</td></tr>
 * <tr><td>lease:&lt;t&gt;</td><td>zset</td><td>id, score lease end ms: reserved</td><td>reserve, extend</td><td>ack, finish, nack, release, due, cancel, put, own, purge, group</td></tr>
 * <tr><td>runs:&lt;t&gt;</td><td>hash</td><td>id -> attempts, due, lease and so on, see unpack_run; only of jobs that left the clock</td><td>due, reserve, nack, release, reschedule, requeue, ack, finish and enlist (kept)</td><td>with the job</td></tr>
 * <tr><td>log:&lt;t&gt;</td><td>hash</td><td>id -> its last ten attempts, a JSON object a line</td><td>nack, due, ack, finish and enlist (kept)</td><td>with the job</td></tr>
 * <tr><td>expire:&lt;t&gt;</td><td>zset</td><td>id, score when its ttl ends; only of jobs with one, and not while they are reserved, dead or done</td><td>push, put, own, admit, nack, due, release, reschedule, requeue</td><td>reserve, enlist, due, or with the job</td></tr>
 * <tr><td>group:&lt;length of t&gt;:&lt;t&gt;:&lt;g&gt;</td><td>set</td><td>ids of the group's jobs that are not done</td><td>push, put, own, admit</td><td>ack, finish, enlist, or with the job</td></tr>
 * <tr><td>ids</td><td>hash</td><td>id -> topic; only of jobs whose ids are the same in all topics, see own.lua</td><td>own</td><td>with the job; push and admit, which free the id of one that is done</td></tr>
 * <tr><td>dead:&lt;t&gt;</td><td>zset</td><td>id, score when it died</td><td>nack, due, reserve and enlist (expired)</td><td>cancel, finish, put, own, reschedule, requeue, purge, due (keepDead over)</td></tr>
 * <tr><td>done:&lt;t&gt;</td><td>zset</td><td>id, score when it was done; only if the topic keeps them</td><td>ack, finish, enlist</td><td>push, put, own, admit, cancel, purge, due (keepDone over)</td></tr>
 * <tr><td>next</td><td>zset</td><td>kind + topic, score the earliest time anything of it is due (c clock, l lease, e expiry, d dead and o done to sweep, g ghosts to sweep): the bucket's alarm. May be too early, never too late</td><td>all</td><td>due, drop</td></tr>
 * <tr><td>topics</td><td>hash</td><td>topic -> settings, see {@link SettingsRecord}; #rev -> version of the last change seen</td><td>push, put, own, admit, configure, mend</td><td>drop</td></tr>
 * <tr><td>names</td><td>zset</td><td>topic, score 0: the topics in order</td><td>push, put, own, admit, configure, mend</td><td>drop</td></tr>
 * <tr><td>awake</td><td>set</td><td>topics with an entry in a ready list h, n, l; with \\3 before it: in one that is delivered by callback. May be too many, never too few</td><td>whatever makes ready, configure and mend</td><td>reserve, enlist, purge, drop, whatever makes the last one a ghost</td></tr>
 * <tr><td>turn:&lt;t&gt;</td><td>string</td><td>who reserves from a topic with a limit now; in the bucket of the topic's name</td><td>turn</td><td>turn, or expires after two seconds</td></tr>
 * <tr><td>rate:&lt;t&gt;</td><td>string</td><td>when the next job may go, µs; likewise</td><td>turn</td><td>expires when it is past</td></tr>
 * <tr><td>call:&lt;caller&gt;:&lt;kind&gt;</td><td>string</td><td>number and answer of the caller's last call</td><td>numbered scripts</td><td>expires after ten minutes</td></tr>
 * <tr><td>servers</td><td>hash</td><td>server -> when it was last heard of, when it started, and what it tells of itself, see {@link ServerList}; in bucket 0 only, and only in the master's memory</td><td>beat</td><td>beat; expires with the last server</td></tr>
 * <tr><td>history</td><td>list</td><td>how all servers did, ten seconds an entry: the time, and JSON; the last hour, in bucket 0 only</td><td>history</td><td>history; expires an hour after the last server</td></tr>
 * </table>
 *
 * <p>While a rebucket is under way, what the old buckets had lies under {@code old:}, behind the same tag: an old and a
 * new bucket of the same number may have the same tag. Only the groups and {@code ids} keep their names.
 *
 * <p>Outside any bucket: {@code {ns}:meta} (hash: schema, buckets, shard where several servers share the
 * buckets, see {@link ShardMark}, sign where users are set, see {@link SharedKey},
 * and rebucket while one is under way, see {@link RebucketState}), and two channels: {@code {ns}:hints}, and {@code {ns}:here}, on which nothing is ever said, but every
 * server listens, see {@link StartCheck}.
 *
 * <p>Not ours, but used: the lists that topics name in {@code redisList} (written by enlist, append); {@code intake.list}
 * (read and shortened by peek, admit, reject) and the same with {@code :bad} behind it (written by peek, reject); and the
 * keys that begin with {@code delayer:} (bridge).
 */
public final class Keys {
    static final int SLOTS = 16_384;
    /** Begin of the keys of mix-basic/delayer. */
    static final String DELAYER = "delayer:";

    private final String namespace;
    private final String[] tags;

    public Keys(String namespace, int buckets) {
        this.namespace = namespace;
        this.tags = new String[buckets];
        for (int bucket = 0; bucket < buckets; bucket++) {
            tags[bucket] = tag(namespace, bucket, buckets);
        }
    }

    private Keys(String namespace, String[] tags) {
        this.namespace = namespace;
        this.tags = tags;
    }

    /** Where the same lies that a rebucket has set aside. */
    Keys aside() {
        return new Keys(namespace, Arrays.stream(tags).map(tag -> tag + "old:").toArray(String[]::new));
    }

    public int buckets() {
        return tags.length;
    }

    /** The bucket of an id: CRC-32C of its UTF-8 modulo the number of buckets, for ever. */
    public int bucketOf(String id) {
        return bucketOf(id.getBytes(StandardCharsets.UTF_8));
    }

    /** @param id as UTF-8 */
    int bucketOf(byte[] id) {
        CRC32C crc = new CRC32C();
        crc.update(id);
        return (int) (crc.getValue() % tags.length);
    }

    public String meta() {
        return "{" + namespace + "}:meta";
    }

    public String hints() {
        return "{" + namespace + "}:hints";
    }

    /** Where how all servers did is kept. */
    public String history() {
        return key(0, "history");
    }

    String here() {
        return "{" + namespace + "}:here";
    }

    /** The keys every script of the bucket is given, in the order of prelude.lua. */
    String[] ofBucket(int bucket) {
        return new String[] {key(bucket, "next"), key(bucket, "topics"), key(bucket, "names"), key(bucket, "awake")};
    }

    String call(int bucket, String caller, String kind) {
        return key(bucket, "call:" + caller + ":" + kind);
    }

    /**
     * A key that never is. In a slot on the move a key that is not there may be on the other node, so a call that names
     * one is refused before it begins. Without it a script could begin while all its keys are there, take the last entry
     * off one of them, and be ended in its middle when it looks there again.
     */
    String nowhere(int bucket) {
        return key(bucket, "nowhere");
    }

    String key(int bucket, String rest) {
        return tags[bucket] + rest;
    }

    /** Where entries of an intake's list go that are no jobs. */
    static String bad(String list) {
        return list + ":bad";
    }

    /** Whether a key is one of ours, or would be with another number of buckets. */
    public boolean isOwn(String key) {
        return key.startsWith("{" + namespace + ":") || key.startsWith("{" + namespace + "}");
    }

    /** The Redis Cluster slot of a key that is in no bucket: that of its hash tag, if it has one. */
    static int slotOf(String key) {
        int open = key.indexOf('{');
        int close = open < 0 ? -1 : key.indexOf('}', open + 1);
        return slot(close > open + 1 ? key.substring(open + 1, close) : key);
    }

    /** The Redis Cluster slot that the bucket lives in. */
    int slotOf(int bucket) {
        return slot(tags[bucket].substring(1, tags[bucket].indexOf('}')));
    }

    /** The smallest k for which the tag's slot lies in the bucket's part of the slots, so that buckets spread evenly. */
    private static String tag(String namespace, int bucket, int buckets) {
        int from = (int) ((long) SLOTS * bucket / buckets);
        int to = (int) ((long) SLOTS * (bucket + 1) / buckets);
        for (int k = 0; ; k++) {
            String tag = namespace + ":" + bucket + ":" + k;
            int slot = slot(tag);
            if (slot >= from && slot < to) {
                return "{" + tag + "}:";
            }
        }
    }

    /** The Redis Cluster slot of a hash tag: CRC-16/XMODEM modulo 16,384. */
    static int slot(String tag) {
        int crc = 0;
        for (byte b : tag.getBytes(StandardCharsets.UTF_8)) {
            crc ^= (b & 0xff) << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) != 0 ? (crc << 1) ^ 0x1021 : crc << 1;
            }
        }
        return (crc & 0xffff) % SLOTS;
    }
}
