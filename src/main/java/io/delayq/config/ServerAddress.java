package io.delayq.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Where a server with the same file and environment listens, for commands that ask it: the rest of its settings, which may
 * be there for the server alone, is not looked at, and nothing of Vert.x is started for it.
 */
public record ServerAddress(String host, int port, boolean tls) {
    public ServerAddress(String host, int port) {
        this(host, port, false);
    }

    /**
     * @param fileOrNull a file that must exist; null for {@link SettingsLoader#DEFAULT_FILE}, which need not
     * @throws ConfigFaults where the file cannot be read or names no port
     */
    public static ServerAddress of(Path fileOrNull, Map<String, String> env) {
        Map<String, String> variables = Environment.read(env).values();
        YamlOutline file = outline(fileOrNull);
        String port = value(KeyTable.HTTP_PORT, variables, file);
        try {
            return new ServerAddress(
                    value(KeyTable.HTTP_HOST, variables, file),
                    KeyTable.HTTP_PORT.parser().parse(port),
                    value(KeyTable.HTTP_TLS_CERTIFICATE, variables, file) != null);
        } catch (Refused e) {
            String name = KeyTable.HTTP_PORT.name();
            String origin = variables.containsKey(name)
                    ? "variable " + KeyTable.HTTP_PORT.variable()
                    : file.origin(file.leaf(name));
            throw new ConfigFaults(List.of(new Fault(name, port, origin, "expected " + KeyTable.HTTP_PORT.expected())));
        }
    }

    /** As it is reached from this machine. */
    public String url() {
        String near = host.equals("0.0.0.0") || host.equals("::") ? "127.0.0.1" : host;
        return (tls ? "https://" : "http://") + (near.contains(":") ? "[" + near + "]" : near) + ":" + port;
    }

    private static String value(Key<?> key, Map<String, String> variables, YamlOutline file) {
        YamlOutline.Leaf leaf = file.leaf(key.name());
        String inFile = leaf == null || leaf.spelled() == null ? key.defaultText() : leaf.spelled();
        return variables.getOrDefault(key.name(), inFile);
    }

    private static YamlOutline outline(Path fileOrNull) {
        Path file = fileOrNull == null ? SettingsLoader.DEFAULT_FILE : fileOrNull;
        if (fileOrNull == null && !Files.exists(file)) {
            return YamlOutline.none();
        }
        YamlOutline outline;
        try {
            outline = YamlOutline.of(file.toString(), Files.readString(file));
        } catch (IOException e) {
            outline = YamlOutline.unreadable(file.toString(), Files.exists(file) ? "cannot be read" : "does not exist");
        }
        if (!outline.faults().isEmpty()) {
            throw new ConfigFaults(outline.faults());
        }
        return outline;
    }
}
