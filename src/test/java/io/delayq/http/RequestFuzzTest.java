package io.delayq.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.delayq.job.NewJob;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever comes in, the answer is a job or a problem. */
class RequestFuzzTest {
    private static final long NOW = 1_800_000_000_000L;
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final List<String> SEEDS = List.of(
            "{\"id\":\"1001\",\"delay\":\"30m\",\"body\":{\"a\":[1,2.5e3,\"\\u00e9é😀\",null]},\"ttr\":\"PT1M\"}",
            "{\"at\":\"2030-01-31T12:00:00.5+01:00\",\"retry\":{\"maxAttempts\":6,\"backoff\":[\"5s\",15000]}}",
            "{\"retry\":{\"backoff\":{\"base\":\"1s\",\"factor\":2,\"max\":\"10m\",\"jitter\":0.1}},\"at\":1800000000001}",
            "{\"callback\":{\"url\":\"https://shop.example/close\",\"method\":\"PUT\",\"headers\":{\"X-App\":\"s\"}}}",
            "{\"priority\":\"low\",\"ttl\":\"2h\",\"group\":\"g\",\"body\":\"x\"}",
            "[{\"topic\":\"a\",\"body\":1},{\"topic\":\"b\",\"id\":\"2\",\"delay\":5}]",
            "{\"lease\":\"abc\",\"delay\":\"5s\",\"error\":\"why\"}",
            "{\"jobs\":[{\"id\":\"a\",\"lease\":\"b\"},{\"id\":\"c\",\"lease\":\"d\"}]}",
            "{\"max\":10,\"wait\":\"20s\"}",
            "{\"ids\":[\"a\",\"b\"]}",
            "{\"ttr\":\"90s\",\"retry\":{\"maxAttempts\":0},\"onExpire\":\"dead\",\"keepDone\":\"1d\",\"maxInFlight\":5}",
            "{\"webhook\":{\"secrets\":[\"0123456789abcdef\"],\"success\":\"2xx\"},\"redisList\":{\"key\":\"k\"}}",
            "state=dead&limit=7&idPrefix=%C3%A9&from=2030-01-31T12:00:00Z&to=5&body=true&window=1d&step=1h");
    private static final List<String> SPLICES = List.of(
            "\"",
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "null",
            "1e400",
            "18446744073709551621",
            "-0",
            "\\ud800",
            "\\u0000",
            "\0",
            "//",
            "/*",
            "'",
            "NaN",
            "\ufeff",
            "\"delay\":",
            "\"body\":",
            "[[[[",
            "\n",
            "-",
            ".",
            "e",
            "00");

    @Test
    void random_bytes_give_nothing_but_problems() throws Exception {
        Random random = new Random(20_240_601);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[random.nextInt(40)];
            random.nextBytes(bytes);
            feed(bytes);
        }
    }

    @Test
    void mutated_requests_give_jobs_or_problems() throws Exception {
        Random random = new Random(20_240_602);
        int taken = 0;
        for (int i = 0; i < 40_000; i++) {
            byte[] bytes = SEEDS.get(random.nextInt(SEEDS.size())).getBytes(StandardCharsets.UTF_8);
            for (int change = random.nextInt(4); change >= 0; change--) {
                bytes = mutated(bytes, random);
            }
            taken += feed(bytes);
        }
        assertTrue(taken > 200, "mutations should leave some requests valid: " + taken);
    }

    private static byte[] mutated(byte[] bytes, Random random) {
        int at = random.nextInt(bytes.length + 1);
        switch (random.nextInt(5)) {
            case 0 -> {
                return Arrays.copyOf(bytes, at);
            }
            case 1 -> {
                byte[] changed = bytes.clone();
                if (at < changed.length) {
                    changed[at] = (byte) random.nextInt(256);
                }
                return changed;
            }
            case 2 -> {
                return spliced(
                        bytes,
                        at,
                        at,
                        SPLICES.get(random.nextInt(SPLICES.size())).getBytes(StandardCharsets.UTF_8));
            }
            case 3 -> {
                int to = Math.min(bytes.length, at + 1 + random.nextInt(5));
                return spliced(bytes, Math.min(at, to), to, new byte[0]);
            }
            default -> {
                int to = Math.min(bytes.length, at + random.nextInt(20));
                return spliced(bytes, at, at, Arrays.copyOfRange(bytes, at, to));
            }
        }
    }

    private static byte[] spliced(byte[] bytes, int from, int to, byte[] middle) {
        byte[] out = new byte[from + middle.length + bytes.length - to];
        System.arraycopy(bytes, 0, out, 0, from);
        System.arraycopy(middle, 0, out, from, middle.length);
        System.arraycopy(bytes, to, out, from + middle.length, bytes.length - to);
        return out;
    }

    private static int feed(byte[] bytes) throws Exception {
        int taken = 0;
        try {
            NewJob job = JobRequest.one("t", null, bytes, null, () -> "made", NOW, AnyTarget.ANY);
            assertTrue(new String(bytes, StandardCharsets.UTF_8)
                            .contains(job.body().toString())
                    || job.body().toString().equals("null"));
            MAPPER.readTree(job.body().getBytes());
            taken++;
        } catch (Problem e) {
            check(e);
        }
        try (Bulk bulk = new Bulk(bytes, "00", () -> "made", NOW, AnyTarget.ANY)) {
            while (bulk.next(1)) {
                assertTrue(bulk.rows().size() <= bytes.length);
            }
            bulk.rows().forEach(row -> assertEquals(row.job() == null, row.problem() != null));
        } catch (Problem e) {
            check(e);
        }
        Row line = JobRequest.line(0, bytes, null, () -> "made", NOW, AnyTarget.ANY);
        assertEquals(line.job() == null, line.problem() != null);
        for (Runnable reader : List.<Runnable>of(
                () -> ConsumerRequest.reserve(bytes),
                () -> assertNotNull(ConsumerRequest.ack(bytes).lease()),
                () -> assertNotNull(ConsumerRequest.nack(bytes).lease()),
                () -> assertNotNull(ConsumerRequest.extend(bytes).lease()),
                () -> ConsumerRequest.acks(bytes).forEach(held -> assertNotNull(held.id())),
                () -> assertNotNull(ConsumerRequest.reschedule(bytes, NOW)),
                () -> settings(bytes),
                () -> TopicRequest.requeue(bytes),
                () -> TopicRequest.nothing(bytes),
                () -> queries(new String(bytes, StandardCharsets.UTF_8)))) {
            try {
                reader.run();
            } catch (Problem e) {
                check(e);
            }
        }
        return taken;
    }

    /** What is shown can be put again, and is then shown the same. */
    private static void settings(byte[] bytes) {
        String shown =
                SettingsJson.write(SettingsRequest.read(bytes, AnyTarget.ANY)).toString();
        String again = SettingsJson.write(SettingsRequest.read(shown.getBytes(StandardCharsets.UTF_8), AnyTarget.ANY))
                .toString();
        // a webhook of nothing but secrets, which are not shown, is none
        assertEquals(shown.replaceAll(",?\"webhook\":\\{}", "").replace("{,", "{"), again);
    }

    private static void queries(String query) {
        Faults faults = new Faults();
        TopicQuery.jobs("t", query, faults);
        TopicQuery.state(query, faults);
        TopicQuery.forecast(query, faults);
    }

    private static void check(Problem problem) throws Exception {
        assertEquals(
                problem.status(),
                MAPPER.readTree(problem.toJson().getBytes()).get("status").intValue());
    }
}
