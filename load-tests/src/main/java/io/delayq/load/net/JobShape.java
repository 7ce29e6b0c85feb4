package io.delayq.load.net;

/**
 * What the jobs of a run look like. The number of a job is in its id, base 36 after a letter: plain digits would let
 * Redis store some of them as integers, which not every user's ids are.
 *
 * @param base the topic, or what the topics' names begin with
 * @param topics job n belongs to topic n modulo this
 * @param idLength 0: none is given, and the server draws one
 */
public record JobShape(String base, int topics, int idLength) {
    private static final int TOPIC_DIGITS = 5;
    private static final String BODY = body(100);

    public static JobShape of(String topic) {
        return new JobShape(topic, 1, 8);
    }

    public String topic(int index) {
        return topics == 1 ? base : base + String.format("%0" + TOPIC_DIGITS + "d", index);
    }

    /** JSON text of 100 bytes. */
    public String body() {
        return BODY;
    }

    int topicDigits() {
        return topics == 1 ? 0 : TOPIC_DIGITS;
    }

    void topic(byte[] target, int at, int job) {
        if (topics > 1) {
            Bytes.number(target, at, TOPIC_DIGITS, job % topics, 10, (byte) '0');
        }
    }

    void id(byte[] target, int at, int job) {
        target[at] = 'j';
        Bytes.number(target, at + 1, idLength - 1, job, 36, (byte) '0');
    }

    int job(byte[] source, int from, int to) {
        return Bytes.number(source, from + 1, to, 36);
    }

    private static String body(int length) {
        String start = "{\"orderId\":10012345,\"text\":\"";
        return start + "x".repeat(length - start.length() - 2) + "\"}";
    }
}
