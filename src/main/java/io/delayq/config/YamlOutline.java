package io.delayq.config;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.scanner.ScannerException;

/**
 * What Vert.x Config cannot tell about a YAML file because it is lost by the time there is JSON: on which line a key
 * stands, that it stands there twice, and how a value was spelled ({@code 010} is 8, {@code yes} is true).
 *
 * <p>Messages from the YAML parser are passed on only where they cannot quote the file, which has secrets in it.
 */
final class YamlOutline {
    /** @param spelled null when it is neither a plain value nor a list of such */
    record Leaf(int line, String spelled) {}

    private static final Set<Tag> TAGS =
            Set.of(Tag.STR, Tag.INT, Tag.FLOAT, Tag.BOOL, Tag.NULL, Tag.TIMESTAMP, Tag.MAP, Tag.SEQ);
    private static final Pattern WHOLE = Pattern.compile("-?(0|[1-9][0-9]*)");

    private final String file;
    private final Map<String, Leaf> leaves = new HashMap<>();
    private final List<Fault> faults = new ArrayList<>();
    private final Set<String> misread = new HashSet<>();
    private boolean loadable;

    private YamlOutline(String file) {
        this.file = file;
    }

    /** Where there is no file. */
    static YamlOutline none() {
        return new YamlOutline("");
    }

    static YamlOutline unreadable(String file, String problem) {
        YamlOutline outline = new YamlOutline(file);
        outline.faults.add(new Fault("file", null, file, problem));
        return outline;
    }

    /** Takes as long as the file is large: not for an event loop. */
    static YamlOutline of(String file, String text) {
        YamlOutline outline = new YamlOutline(file);
        try {
            Node root = new Yaml(new SafeConstructor(new LoaderOptions())).compose(new StringReader(text));
            outline.root(root);
        } catch (MarkedYAMLException e) {
            int line = e.getProblemMark() == null ? 0 : e.getProblemMark().getLine();
            boolean quotesNothing =
                    e instanceof ScannerException || e.getProblem().startsWith("expected");
            outline.broken(line, "not valid YAML" + (quotesNothing ? ": " + e.getProblem() : ""));
        } catch (YAMLException e) {
            outline.broken(0, "not valid YAML");
        }
        return outline;
    }

    /** Whether Vert.x Config can make something of the file, and there is something to make. */
    boolean loadable() {
        return loadable;
    }

    List<Fault> faults() {
        return faults;
    }

    /** Null when the file does not set the key. */
    Leaf leaf(String key) {
        return leaves.get(key);
    }

    Map<String, Leaf> leaves() {
        return leaves;
    }

    /** Whether the key's value is something else than it looks like, which {@link #faults} already says. */
    boolean isMisread(String key) {
        return misread.contains(key);
    }

    String origin(Leaf leaf) {
        return at(leaf.line());
    }

    private void root(Node root) {
        if (root == null || root.getTag().equals(Tag.NULL)) {
            return;
        }
        if (!(root instanceof MappingNode mapping)) {
            broken(line(root), "expected keys and values at the top level");
            return;
        }
        loadable = true;
        refuseFancy(root);
        if (loadable) {
            keys("", mapping);
        }
    }

    /** Anchors, merges, tags and keys that are not text: nothing needs them, and some of them the loader chokes on. */
    private void refuseFancy(Node node) {
        if (node.getAnchor() != null) {
            // Not walked into: an anchored node can contain itself.
            broken(line(node), "anchors are not supported");
            return;
        }
        if (!TAGS.contains(node.getTag())) {
            broken(line(node), "tags and merge keys are not supported");
        }
        if (node instanceof MappingNode mapping) {
            for (NodeTuple tuple : mapping.getValue()) {
                if (!(tuple.getKeyNode() instanceof ScalarNode key)
                        || !key.getTag().equals(Tag.STR)) {
                    broken(line(tuple.getKeyNode()), "a key that is not text; put it in quotes if it is meant");
                }
                refuseFancy(tuple.getValueNode());
            }
        } else if (node instanceof SequenceNode sequence) {
            sequence.getValue().forEach(this::refuseFancy);
        }
    }

    private void keys(String section, MappingNode mapping) {
        Set<String> seen = new HashSet<>();
        for (NodeTuple tuple : mapping.getValue()) {
            String own = ((ScalarNode) tuple.getKeyNode()).getValue();
            String name = section + own;
            Node value = tuple.getValueNode();
            int line = line(tuple.getKeyNode());
            if (!seen.add(own)) {
                fault(name, null, line, "given twice; expected once");
            } else if (section.isEmpty() && KeyTable.SECTIONS.contains(name)) {
                section(name, value, line);
            } else if (own.indexOf('.') >= 0 && KeyTable.NAMES.contains(name)) {
                fault(name, null, line, "expected sections instead of dots: " + name.replace(".", ": { ") + ": ... }");
            } else if (KeyTable.NAMES.contains(name)) {
                leaves.put(name, new Leaf(line, spelled(value)));
                spelling(name, name, value);
            } else {
                String problem = section.isEmpty() ? KeyTable.unknownKeyOrSection(name) : KeyTable.unknown(name);
                fault(name, null, line, problem);
            }
        }
    }

    private static String spelled(Node value) {
        if (value instanceof SequenceNode list && list.getValue().stream().allMatch(ScalarNode.class::isInstance)) {
            return list.getValue().stream()
                    .map(item -> ((ScalarNode) item).getValue())
                    .collect(Collectors.joining(", ", "[", "]"));
        }
        return value instanceof ScalarNode scalar ? scalar.getValue() : null;
    }

    private void section(String name, Node value, int line) {
        if (value instanceof MappingNode mapping) {
            keys(name + ".", mapping);
        } else if (!value.getTag().equals(Tag.NULL)) {
            // Not shown: it may be an address with a password.
            fault(name, null, line, "expected a section with keys of its own, not a value");
        }
    }

    /** @param key the setting that {@code path} is in */
    private void spelling(String key, String path, Node node) {
        if (node instanceof MappingNode mapping) {
            Set<String> seen = new HashSet<>();
            for (NodeTuple tuple : mapping.getValue()) {
                String field = ((ScalarNode) tuple.getKeyNode()).getValue();
                if (!seen.add(field)) {
                    fault(path + "." + field, null, line(tuple.getKeyNode()), "given twice; expected once");
                }
                spelling(key, path + "." + field, tuple.getValueNode());
            }
        } else if (node instanceof SequenceNode sequence) {
            for (int i = 0; i < sequence.getValue().size(); i++) {
                spelling(key, path + "[" + i + "]", sequence.getValue().get(i));
            }
        } else if (node instanceof ScalarNode scalar) {
            String other = readAs(scalar);
            if (other != null) {
                misread.add(key);
                String given = key.equals(path) ? scalar.getValue() : null;
                fault(path, given, line(node), "YAML takes this for " + other + "; write it plainly or in quotes");
            }
        }
    }

    private static String readAs(ScalarNode scalar) {
        String spelled = scalar.getValue();
        if (scalar.getTag().equals(Tag.BOOL)) {
            return spelled.equals("true") || spelled.equals("false") ? null : "true or false";
        }
        return scalar.getTag().equals(Tag.INT) && !WHOLE.matcher(spelled).matches() ? "another number" : null;
    }

    private void broken(int line, String problem) {
        loadable = false;
        fault("file", null, line, problem);
    }

    private void fault(String key, String given, int line, String problem) {
        faults.add(new Fault(key, given, at(line), problem));
    }

    private String at(int line) {
        return file + " line " + (line + 1);
    }

    private static int line(Node node) {
        return node.getStartMark().getLine();
    }
}
