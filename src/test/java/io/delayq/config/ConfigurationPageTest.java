package io.delayq.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

/** docs/configuration.md against the table. */
class ConfigurationPageTest {
    @Test
    void the_page_says_what_the_table_says() throws IOException {
        if (Boolean.getBoolean("delayq.write")) {
            ConfigurationPage.write();
        }
        String found = Files.exists(ConfigurationPage.FILE) ? Files.readString(ConfigurationPage.FILE) : "";
        assertEquals(
                ConfigurationPage.text(),
                found,
                ConfigurationPage.FILE + " is not what the table of settings makes; write it anew with: "
                        + ConfigurationPage.REMAKE);
    }

    @Test
    void the_page_has_every_setting_with_its_variable_and_flag() {
        String text = ConfigurationPage.text();
        for (Key<?> key : KeyTable.ALL) {
            assertTrue(text.contains("\n| `" + key.name() + "` | "), key.name());
            assertTrue(text.contains("`" + key.variable() + "`, `" + key.flag() + "` |"), key.name());
        }
    }
}
