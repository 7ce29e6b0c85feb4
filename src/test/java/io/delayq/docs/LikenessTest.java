package io.delayq.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class LikenessTest {
    private final Likeness likeness = new Likeness();

    @Test
    void times_leases_and_made_ids_may_differ_and_nothing_else() {
        String shown = "{\"id\":\"1001\",\"lease\":\"NQ0SDL2ql2\",\"attempt\":1,\"due\":1794797877094}";
        assertTrue(likeness.alike(shown, shown.replace("NQ0SDL2ql2", "x7").replace("94797", "95000")));
        assertFalse(likeness.alike(shown, shown.replace("1001", "1002")));
        assertFalse(likeness.alike(shown, shown.replace("\"attempt\":1", "\"attempt\":2")));
        assertFalse(likeness.alike(shown, shown.replace(",\"due\":1794797877094", "")));
        assertFalse(likeness.alike(shown, shown.replace("1794797877094", "179479787709")));
        assertTrue(likeness.alike("05:14:30.946  2ro9wfcm56eel  late 2ms", "23:59:59  3abcdefcm56ee  late 1s20ms"));
        assertFalse(likeness.alike("05:14:30.946  2ro9wfcm56eel  late 2ms", "05:14:30.946  2ro9wfcm56eel  early 2ms"));
        assertFalse(likeness.alike("order is delayed", "order is ready"));
    }

    @Test
    void later_commands_use_what_was_really_printed() {
        likeness.learn("{\"lease\":\"shown1\"}", "{\"lease\":\"real9\"}");
        assertEquals("ack {\"lease\":\"real9\"}", likeness.translate("ack {\"lease\":\"shown1\"}"));
        assertEquals("ack {\"lease\":\"other\"}", likeness.translate("ack {\"lease\":\"other\"}"));
    }
}
