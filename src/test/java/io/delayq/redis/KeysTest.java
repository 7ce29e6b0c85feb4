package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeysTest {
    /** A row of the table in docs/buckets.md. */
    private static final Pattern ROW =
            Pattern.compile("\\| `(.+)` \\| `([0-9a-f]{8})` \\| (\\d+) \\| (\\d+) \\| (\\d+) \\|");

    record Vector(String id, long crc, int of4, int of12, int of64) {}

    static List<Vector> vectors() throws IOException {
        List<Vector> vectors = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("docs/buckets.md"))) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                vectors.add(new Vector(
                        row.group(1),
                        Long.parseLong(row.group(2), 16),
                        Integer.parseInt(row.group(3)),
                        Integer.parseInt(row.group(4)),
                        Integer.parseInt(row.group(5))));
            }
        }
        return vectors;
    }

    @Test
    void the_page_has_enough_vectors_and_some_beyond_ascii() throws IOException {
        assertTrue(vectors().size() >= 8, () -> "only so many rows were understood");
        assertTrue(vectors().stream().anyMatch(vector -> vector.id.chars().anyMatch(c -> c > 127)));
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void an_id_falls_into_the_bucket_that_the_page_says(Vector vector) {
        assertEquals(vector.of4, new Keys("dq", 4).bucketOf(vector.id));
        assertEquals(vector.of12, new Keys("any", 12).bucketOf(vector.id));
        assertEquals(vector.of64, new Keys("dq", 64).bucketOf(vector.id));
        assertEquals(vector.of64, vector.crc % 64);
    }

    /** Not read from the page: these may not change together with it. The first is the check value of CRC-32C. */
    @ParameterizedTest
    @CsvSource({"123456789,3808858755", "1001,3091405414", "größe-7,1114343958", "任务-1,313125383"})
    void the_hash_is_crc_32c_of_the_utf_8_for_ever(String id, long crc) {
        for (int buckets : new int[] {1, 4, 7, 64, 1000}) {
            assertEquals(crc % buckets, new Keys("dq", buckets).bucketOf(id));
        }
    }

    @ParameterizedTest
    @CsvSource({"123456789,12739", "foo,12182", "dq,10584", "größe,9425"})
    void a_slot_is_the_one_that_redis_cluster_computes(String tag, int slot) {
        assertEquals(slot, Keys.slot(tag));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 12, 64})
    void each_bucket_lies_in_its_own_part_of_the_slots(int buckets) {
        Keys keys = new Keys("dq", buckets);
        for (int bucket = 0; bucket < buckets; bucket++) {
            int slot = Keys.slot(tagOf(keys.key(bucket, "next")));
            assertEquals(bucket, (int) ((long) slot * buckets / Keys.SLOTS), "slot " + slot);
        }
    }

    @Test
    void twelve_buckets_on_three_nodes_are_four_on_each() {
        Keys keys = new Keys("dq", 12);
        int[] nodes = new int[3];
        for (int bucket = 0; bucket < 12; bucket++) {
            // as redis-cli --cluster create shares the slots out: 0-5460, 5461-10922, 10923-16383
            int slot = Keys.slot(tagOf(keys.key(bucket, "next")));
            nodes[slot <= 5460 ? 0 : slot <= 10922 ? 1 : 2]++;
        }
        assertEquals("4 4 4", nodes[0] + " " + nodes[1] + " " + nodes[2]);
    }

    @Test
    void the_tag_takes_the_smallest_number_that_fits() {
        Keys keys = new Keys("dq", 12);
        for (int bucket = 0; bucket < 12; bucket++) {
            String[] parts = tagOf(keys.key(bucket, "next")).split(":");
            assertEquals("dq:" + bucket, parts[0] + ":" + parts[1]);
            for (int k = 0; k < Integer.parseInt(parts[2]); k++) {
                assertTrue(Keys.slot("dq:" + bucket + ":" + k) * 12 / Keys.SLOTS != bucket);
            }
        }
    }

    @Test
    void all_keys_of_a_bucket_carry_its_tag() {
        Keys keys = new Keys("dq", 4);
        for (int bucket = 0; bucket < 4; bucket++) {
            List<String> all = new ArrayList<>(List.of(keys.ofBucket(bucket)));
            all.add(keys.call(bucket, "caller", "push"));
            String tag = tagOf(all.get(0));
            all.forEach(key -> assertEquals(tag, tagOf(key)));
        }
    }

    /** What Redis hashes: the text between the first brace and the one that closes it. */
    private static String tagOf(String key) {
        int open = key.indexOf('{');
        return key.substring(open + 1, key.indexOf('}', open));
    }
}
