package io.delayq.arch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

/** pom.xml and build.gradle.kts make the same program out of the same things. */
class BuildFilesTest {
    /** Maven's runner brings its own. */
    private static final Set<String> GRADLE_ONLY = Set.of("test org.junit.platform:junit-platform-launcher");

    private final Document pom;
    private final String gradle;

    BuildFilesTest() throws Exception {
        pom = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(Path.of("pom.xml").toFile());
        gradle = Files.readString(Path.of("build.gradle.kts"));
    }

    @Test
    void the_dependencies_are_the_same() {
        assertTrue(ofMaven().size() > 15, () -> ofMaven().toString());
        Set<String> ofGradle = ofGradle(gradle);
        assertTrue(ofGradle.containsAll(GRADLE_ONLY), "the exception is still needed");
        ofGradle.removeAll(GRADLE_ONLY);
        assertEquals(ofMaven(), ofGradle);
    }

    @Test
    void a_version_a_scope_and_a_dependency_of_only_one_are_found() {
        assertNotEquals(ofGradle(gradle), ofGradle(gradle.replace("picocli:4.7.7", "picocli:4.7.6")));
        assertNotEquals(ofGradle(gradle), ofGradle(gradle.replaceFirst("vertxCore = \"5", "vertxCore = \"6")));
        assertNotEquals(
                ofGradle(gradle),
                ofGradle(gradle.replace("implementation(\"org.yaml", "testImplementation(\"org.yaml")));
        assertNotEquals(ofGradle(gradle), ofGradle(gradle.replace("    implementation(\"org.yaml:snakeyaml\")\n", "")));
    }

    @Test
    void the_boms_are_the_same() {
        Set<String> boms = new TreeSet<>();
        for (Element one : dependencies("dependencyManagement")) {
            if ("import".equals(text(one, "scope"))) {
                boms.add(text(one, "groupId") + ":" + text(one, "artifactId") + ":" + resolved(text(one, "version")));
            }
        }
        Set<String> platforms = new TreeSet<>();
        Pattern.compile("platform\\(\"([^\"]+)\"\\)")
                .matcher(gradle)
                .results()
                .forEach(found -> platforms.add(filled(gradle, found.group(1))));
        assertEquals(boms, platforms);
    }

    @Test
    void version_and_java_and_format_are_the_same() throws IOException {
        assertTrue(gradle.contains("version = \"" + text(pom.getDocumentElement(), "version") + "\""));
        String release =
                pom.getElementsByTagName("maven.compiler.release").item(0).getTextContent();
        assertTrue(gradle.contains("options.release = " + release));
        String text = Files.readString(Path.of("pom.xml"));
        MatchResult format = Pattern.compile("<palantirJavaFormat><version>([^<]+)<")
                .matcher(text)
                .results()
                .findFirst()
                .orElseThrow();
        assertTrue(gradle.contains("palantirJavaFormat(\"" + format.group(1) + "\")"));
    }

    @Test
    void what_is_packaged_is_listed_and_the_list_is_the_same_each_time() {
        Element plugin = plugin("cyclonedx-maven-plugin");
        assertEquals("package", text(plugin, "phase"));
        assertEquals("false", text(plugin, "includeBomSerialNumber"));
        assertEquals("false", text(plugin, "includeTestScope"));
        assertTrue(pom.getElementsByTagName("project.build.outputTimestamp").getLength() == 1);
    }

    /** As {@code main group:name:version:classifier}; without a version where a BOM says it. */
    private Set<String> ofMaven() {
        Map<String, String> managed = new HashMap<>();
        for (Element one : dependencies("dependencyManagement")) {
            if (!"import".equals(text(one, "scope"))) {
                managed.put(text(one, "groupId") + ":" + text(one, "artifactId"), text(one, "version"));
            }
        }
        Set<String> found = new TreeSet<>();
        for (Element one : dependencies("project")) {
            String name = text(one, "groupId") + ":" + text(one, "artifactId");
            String version = text(one, "version") == null ? managed.get(name) : text(one, "version");
            String scope = text(one, "scope") == null ? "main" : text(one, "scope");
            found.add(written(scope, name, resolved(version), text(one, "classifier")));
        }
        return found;
    }

    private static Set<String> ofGradle(String file) {
        Set<String> found = new TreeSet<>();
        Pattern.compile("(?m)^\\s+(implementation|runtimeOnly|testImplementation|testRuntimeOnly)\\(\"([^\"]+)\"\\)")
                .matcher(file)
                .results()
                .forEach(one -> {
                    String[] parts = filled(file, one.group(2)).split(":");
                    found.add(written(
                            one.group(1).startsWith("test") ? "test" : "main",
                            parts[0] + ":" + parts[1],
                            parts.length > 2 && !parts[2].isEmpty() ? parts[2] : null,
                            parts.length > 3 ? parts[3] : null));
                });
        return found;
    }

    private static String written(String scope, String name, String version, String classifier) {
        return scope + " " + name + (version == null ? "" : ":" + version)
                + (classifier == null ? "" : "@" + classifier);
    }

    /** With {@code $name} replaced by what {@code val name} is. */
    private static String filled(String file, String text) {
        return Pattern.compile("\\$(\\w+)").matcher(text).replaceAll(name -> Pattern.compile(
                        "val " + name.group(1) + " = \"([^\"]+)\"")
                .matcher(file)
                .results()
                .findFirst()
                .orElseThrow()
                .group(1));
    }

    private String resolved(String version) {
        return version == null || !version.startsWith("${")
                ? version
                : pom.getElementsByTagName(version.substring(2, version.length() - 1))
                        .item(0)
                        .getTextContent();
    }

    /** Those whose list is in an element of this name. */
    private List<Element> dependencies(String in) {
        List<Element> found = new ArrayList<>();
        for (Element one : elements("dependency")) {
            if (one.getParentNode().getParentNode().getNodeName().equals(in)) {
                found.add(one);
            }
        }
        return found;
    }

    private Element plugin(String artifact) {
        return elements("plugin").stream()
                .filter(one -> artifact.equals(text(one, "artifactId")))
                .findFirst()
                .orElseThrow();
    }

    private List<Element> elements(String name) {
        List<Element> found = new ArrayList<>();
        for (int i = 0; i < pom.getElementsByTagName(name).getLength(); i++) {
            found.add((Element) pom.getElementsByTagName(name).item(i));
        }
        return found;
    }

    /** Null if there is none. */
    private static String text(Element in, String name) {
        Node found = in.getElementsByTagName(name).item(0);
        return found == null ? null : found.getTextContent();
    }
}
