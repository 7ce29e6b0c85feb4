package io.delayq.config;

import io.vertx.config.ConfigRetriever;
import io.vertx.config.ConfigRetrieverOptions;
import io.vertx.config.ConfigStoreOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the configuration once, at start: flags over environment over file over defaults. Vert.x Config loads and merges;
 * {@link KeyTable} says what is right; whatever is wrong is told at once in one {@link ConfigFaults}.
 */
public final class SettingsLoader {
    /** Read when no file is named; it may be absent. Relative to the working directory. */
    public static final Path DEFAULT_FILE = Path.of("conf", "delayq.yaml");

    private static final Logger LOG = LoggerFactory.getLogger(SettingsLoader.class);

    private final Vertx vertx;
    private final Environment environment;
    private final Flags flags;

    /** @param warnings already logged; for whoever wants to show them elsewhere */
    public record Loaded(Settings settings, List<String> warnings) {
        public Loaded {
            warnings = List.copyOf(warnings);
        }
    }

    private SettingsLoader(Vertx vertx, Environment environment, Flags flags) {
        this.vertx = vertx;
        this.environment = environment;
        this.flags = flags;
    }

    /**
     * @param fileOrNull a file that must exist; null for {@link #DEFAULT_FILE}, which need not
     * @return fails with {@link ConfigFaults} when anything is wrong
     */
    public static Future<Loaded> load(Vertx vertx, Path fileOrNull, Map<String, String> env, List<String> flags) {
        return fileOrNull == null
                ? load(vertx, DEFAULT_FILE, false, env, flags)
                : load(vertx, fileOrNull, true, env, flags);
    }

    static Future<Loaded> load(Vertx vertx, Path file, boolean required, Map<String, String> env, List<String> flags) {
        SettingsLoader loader = new SettingsLoader(vertx, Environment.read(env), Flags.read(flags));
        // Before anything can fail: a misspelt variable may be why.
        loader.environment.warnings().forEach(warning -> LOG.atWarn()
                .addKeyValue("event", "config.unknown-variable")
                .log(warning));
        return loader.outline(file, required)
                .compose(outline -> loader.merged(file, outline).compose(merged -> loader.checked(merged, outline)));
    }

    private Future<YamlOutline> outline(Path file, boolean required) {
        // Absolute, because Vert.x would look for a relative path on the class path too.
        String path = file.toAbsolutePath().toString();
        return vertx.fileSystem().exists(path).compose(exists -> {
            if (!exists) {
                YamlOutline absent = YamlOutline.unreadable(file.toString(), "does not exist");
                return Future.succeededFuture(required ? absent : YamlOutline.none());
            }
            return vertx.fileSystem()
                    .readFile(path)
                    .map(bytes -> bytes.toString(StandardCharsets.UTF_8))
                    .compose(text -> vertx.executeBlocking(() -> YamlOutline.of(file.toString(), text)))
                    .otherwise(e -> YamlOutline.unreadable(file.toString(), "cannot be read"));
        });
    }

    /**
     * The file's store is left out where it is known to fail, and never made optional: Vert.x Config takes an optional
     * file with a syntax error for an empty one.
     */
    private Future<JsonObject> merged(Path file, YamlOutline outline) {
        List<ConfigStoreOptions> overrides = List.of(json(environment.values()), json(flags.values()));
        if (!outline.loadable()) {
            return retrieved(overrides);
        }
        List<ConfigStoreOptions> stores = new ArrayList<>();
        stores.add(new ConfigStoreOptions()
                .setType("file")
                .setFormat("yaml")
                .setConfig(new JsonObject().put("path", file.toAbsolutePath().toString())));
        stores.addAll(overrides);
        return retrieved(stores).recover(e -> {
            outline.faults().add(new Fault("file", null, file.toString(), "cannot be read as YAML"));
            return retrieved(overrides);
        });
    }

    private Future<JsonObject> retrieved(List<ConfigStoreOptions> stores) {
        ConfigRetriever retriever = ConfigRetriever.create(
                vertx,
                new ConfigRetrieverOptions()
                        .setIncludeDefaultStores(false)
                        .setScanPeriod(-1)
                        .setStores(stores));
        return retriever.getConfig().eventually(retriever::close);
    }

    private static ConfigStoreOptions json(Map<String, String> values) {
        JsonObject json = new JsonObject();
        values.forEach((key, value) -> {
            int dot = key.indexOf('.');
            JsonObject one = dot < 0
                    ? new JsonObject().put(key, value)
                    : new JsonObject().put(key.substring(0, dot), new JsonObject().put(key.substring(dot + 1), value));
            json.mergeIn(one, true);
        });
        return new ConfigStoreOptions().setType("json").setConfig(json);
    }

    private Future<Loaded> checked(JsonObject merged, YamlOutline outline) {
        Resolution resolution = new Resolution(merged, outline, environment.values(), flags.values());
        Settings settings = resolution.settings();
        List<Fault> faults = new ArrayList<>(outline.faults());
        faults.addAll(flags.faults());
        faults.addAll(resolution.faults());
        return faults.isEmpty()
                ? Future.succeededFuture(new Loaded(settings, environment.warnings()))
                : Future.failedFuture(new ConfigFaults(faults));
    }
}
