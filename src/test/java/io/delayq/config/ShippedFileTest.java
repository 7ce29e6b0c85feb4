package io.delayq.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import io.vertx.junit5.VertxTestContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** conf/delayq.yaml against the table. */
@ExtendWith(VertxExtension.class)
class ShippedFileTest {
    private static final Path FILE = Path.of("conf/delayq.yaml");

    @Test
    void equals_the_defaults(Vertx vertx, VertxTestContext test) {
        SettingsLoader.load(vertx, FILE, Map.of(), List.of())
                .onComplete(test.succeeding(loaded -> test.verify(() -> {
                    assertEquals(Settings.defaults(), loaded.settings());
                    assertEquals(List.of(), loaded.warnings());
                    test.completeNow();
                })));
    }

    @Test
    void spells_each_default_as_the_table_does() throws IOException {
        Map<String, String> inFile = new TreeMap<>();
        YamlOutline.of("f", Files.readString(FILE)).leaves().forEach((key, leaf) -> inFile.put(key, leaf.spelled()));
        Map<String, String> inTable = KeyTable.ALL.stream()
                .filter(key -> key.defaultText() != null)
                .collect(Collectors.toMap(Key::name, Key::defaultText, (a, b) -> a, TreeMap::new));
        assertEquals(inTable, inFile);
    }

    @Test
    void shows_the_settings_without_a_default_commented_out() throws IOException {
        String opened = Files.readString(FILE).replaceAll("(?m)^( *)#(?=\\w| {2,})", "$1");
        YamlOutline outline = YamlOutline.of("f", opened);
        assertEquals(List.of(), outline.faults());
        assertEquals(KeyTable.NAMES, outline.leaves().keySet());
    }

    @Test
    void has_each_description_as_the_comment_above_its_key() throws IOException {
        List<String> lines = Files.readAllLines(FILE);
        for (Key<?> key : KeyTable.ALL) {
            int dot = key.name().indexOf('.');
            String own = key.name().substring(dot + 1);
            int at = dot < 0 ? 0 : lines.indexOf(key.name().substring(0, dot) + ":");
            while (!lines.get(at).strip().matches("#?" + own + ":.*")) {
                at++;
            }
            int from = at;
            while (lines.get(from - 1).strip().startsWith("# ")) {
                from--;
            }
            String comment = lines.subList(from, at).stream()
                    .map(line -> line.strip().substring(2))
                    .collect(Collectors.joining(" "));
            assertEquals(key.description(), comment, key.name());
        }
    }

    @Test
    void keeps_to_the_width_of_the_house() throws IOException {
        assertTrue(Files.readAllLines(FILE).stream().allMatch(line -> line.length() <= 120));
    }
}
