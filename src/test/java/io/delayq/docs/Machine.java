package io.delayq.docs;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.delayq.Main;
import io.delayq.redis.LeftBehind;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/**
 * What a reader has: a clone, tools, and ports that are free.
 *
 * <p>{@code bin/delayq} is the real one and builds the jar at its first call. But tests run before the jar is packaged,
 * and must not start the build that runs them, so the {@code mvn} on its path is a stand-in: asked to package, it hands
 * over a jar with the classes under test whose manifest points to their dependencies. Asked to verify, it does nothing:
 * that is the command that runs this.
 */
final class Machine implements AutoCloseable {
    private static final Path PROJECT = Path.of("").toAbsolutePath();

    final Path home;
    final Path clone;
    final int port = freePort();
    private final Path data;
    /** What commands name and this machine may not have free, and what stands in for it. */
    private final Map<String, String> standIns = new HashMap<>();

    Machine(Path home) throws IOException {
        this.home = home;
        this.clone = home.resolve("delayq");
        this.data = home.resolve("var");
        standIns.put("9277", Integer.toString(port));
        standIns.put("9000", Integer.toString(freePort()));
        standIns.put("8080", Integer.toString(freePort()));
        standIns.put("<this repository>", PROJECT.toString());
        Path tools = Files.createDirectories(home.resolve("tools"));
        makeJar(tools.resolve("delayq.jar"));
        makeTool(
                tools.resolve("mvn"),
                "case \"$*\" in\n"
                        + "'-B -q -Dmaven.test.skip=true package') mkdir -p target && cp '"
                        + tools.resolve("delayq.jar")
                        + "' target/delayq.jar ;;\n"
                        + "'-B verify') test -f pom.xml ;;\n"
                        + "*) echo \"not expected: mvn $*\"; exit 1 ;;\n"
                        + "esac\n");
        // it is asked first; Maven then
        makeTool(tools.resolve("gradle"), "exit 1\n");
        makeTool(tools.resolve("java"), "exec \"$JAVA_HOME/bin/java\" $DELAYQ_JAVA_OPTS \"$@\"\n");
        // as at a terminal, where curl shows no progress; an answer from 400 on is a failure
        Files.writeString(home.resolve(".curlrc"), "silent\nshow-error\nfail\n");
        Files.writeString(home.resolve(".gitconfig"), "[safe]\n\tdirectory = *\n");
    }

    /** Puts what is to be tested into the clone, which has what was committed, or makes it if there is none. */
    void bringUpToDate() throws IOException {
        Files.createDirectories(clone);
        for (String part : List.of("bin", "conf", "docs", "pom.xml")) {
            run("cp", "-R", PROJECT.resolve(part).toString(), clone.toString());
        }
        Files.writeString(
                clone.resolve("my.yaml"),
                "http:\n  port: " + freePort() + "\ndata:\n  dir: " + data.resolve("my") + "\n");
    }

    /** The same text with ports and directories of this machine. */
    String local(String text) {
        Matcher matcher = Pattern.compile(
                        standIns.keySet().stream().map(Pattern::quote).collect(Collectors.joining("|")))
                .matcher(text);
        return matcher.replaceAll(found -> Matcher.quoteReplacement(standIns.get(found.group())));
    }

    Map<String, String> env() {
        Path java = Path.of(System.getProperty("java.home"));
        return Map.of(
                "HOME",
                home.toString(),
                "CURL_HOME",
                home.toString(),
                "JAVA_HOME",
                java.toString(),
                "PATH",
                home.resolve("tools") + ":" + System.getenv("PATH"),
                "DELAYQ_URL",
                "http://127.0.0.1:" + port,
                // processes that live for a second
                "DELAYQ_JAVA_OPTS",
                "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto -Xmx256m",
                // short waits of the examples
                "QUIET",
                "500ms",
                "BACKOFF_MILLIS",
                "200");
    }

    @Override
    public void close() {
        for (Path dir : List.of(clone.resolve("data"), home.resolve("queue"), data.resolve("my"))) {
            LeftBehind.killRedisOf(dir);
        }
    }

    /** Skips the test where a tool is missing. */
    static void need(boolean there, String otherwise) {
        assumeTrue(there, otherwise);
    }

    static void needTool(String name) {
        need(hasTool(name), name + " is not installed");
    }

    static boolean hasTool(String name) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(dir -> Files.isExecutable(Path.of(dir, name)));
    }

    /** One that knows {@code --json}. */
    static void needCurl() {
        needTool("curl");
        String help = run("curl", "--help", "all");
        need(help.contains("--json"), "curl is older than 7.82");
    }

    /** How to call a Node that has WebSocket: from 22 on, and behind an option from 20.10 on. */
    static String needNode() {
        needTool("node");
        String version = run("node", "--version").strip();
        Matcher parts = Pattern.compile("v(\\d+)\\.(\\d+)\\..*").matcher(version);
        need(parts.matches(), "node calls itself " + version);
        int major = Integer.parseInt(parts.group(1));
        boolean known = major > 20 || (major == 20 && Integer.parseInt(parts.group(2)) >= 10);
        need(known, "node is " + version + "; its WebSocket comes with 22");
        return major >= 22 ? "node" : "node --experimental-websocket --no-warnings";
    }

    static String run(String... command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new AssertionError(String.join(" ", command) + ": " + out);
            }
            return out;
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void makeTool(Path file, String script) throws IOException {
        Files.writeString(file, "#!/bin/sh\n" + script);
        if (!file.toFile().setExecutable(true)) {
            throw new IOException("cannot make " + file + " executable");
        }
    }

    private static void makeJar(Path file) throws IOException {
        List<Path> classPath = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .toList();
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.put(Attributes.Name.MAIN_CLASS, Main.class.getName());
        attributes.put(Attributes.Name.IMPLEMENTATION_VERSION, version());
        attributes.put(
                Attributes.Name.CLASS_PATH,
                classPath.stream()
                        .filter(Files::isRegularFile)
                        .map(jar -> jar.toUri().toString())
                        .collect(Collectors.joining(" ")));
        try (OutputStream out = Files.newOutputStream(file);
                JarOutputStream jar = new JarOutputStream(out, manifest)) {
            for (Path dir : classPath) {
                // the tests' own directories have another log configuration
                if (Files.isDirectory(dir) && !dir.getFileName().toString().startsWith("test")) {
                    addAll(jar, dir);
                }
            }
        }
    }

    private static void addAll(JarOutputStream jar, Path dir) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(dir)) {
            files = all.filter(Files::isRegularFile).toList();
        }
        for (Path file : files) {
            jar.putNextEntry(new ZipEntry(dir.relativize(file).toString()));
            Files.copy(file, jar);
            jar.closeEntry();
        }
    }

    private static String version() throws IOException {
        Matcher version = Pattern.compile("<artifactId>delayq</artifactId>\\s*<version>([^<]+)<")
                .matcher(Files.readString(PROJECT.resolve("pom.xml")));
        if (!version.find()) {
            throw new AssertionError("pom.xml names no version");
        }
        return version.group(1);
    }
}
