package io.delayq.docs;

import io.delayq.path.TestServer;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A real browser without a window, and its console. */
public final class Chromium implements AutoCloseable {
    private final HttpClient http = HttpClient.newHttpClient();
    private final Process process;
    /** If the tests are interrupted. */
    private final Thread end = new Thread(this::endAll);

    private final int port;

    public Chromium(Path profile) throws IOException {
        String program = Stream.of("chromium", "chromium-browser", "google-chrome")
                .filter(Machine::hasTool)
                .filter(Chromium::starts)
                .findFirst()
                .orElse(null);
        Machine.need(program != null, "there is no chromium that starts");
        Path log = Files.createTempFile(profile, "chromium", ".log");
        // no sandbox: it cannot be had by root, who runs containers
        ProcessBuilder builder = new ProcessBuilder(
                        program,
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--disable-dev-shm-usage",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--no-first-run",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment().put("TMPDIR", profile.toString());
        process = builder.start();
        Runtime.getRuntime().addShutdownHook(end);
        Path portFile = profile.resolve("DevToolsActivePort");
        try {
            TestRedis.await("chromium", () -> {
                if (!process.isAlive()) {
                    throw new AssertionError("chromium ended with " + process.exitValue() + "; see " + log);
                }
                return Files.exists(portFile) && portFile.toFile().length() > 0;
            });
            port = Integer.parseInt(Files.readAllLines(portFile).get(0));
        } catch (AssertionError | IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Ubuntu has a program of that name that only tells to install another one. */
    private static boolean starts(String program) {
        try {
            Machine.run(program, "--version");
            return true;
        } catch (AssertionError e) {
            return false;
        }
    }

    /** A page, and a way to type into its console. */
    public final class Tab implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();
        private final Map<Integer, CompletableFuture<JsonObject>> answers = new ConcurrentHashMap<>();
        private final List<String> complaints = new CopyOnWriteArrayList<>();
        private final WebSocket socket;
        private int calls;

        private Tab(URI address) {
            socket = http.newWebSocketBuilder().buildAsync(address, this).join();
        }

        /** What the expression or the promise comes to, as text. */
        public String type(String expression) {
            JsonObject result = call(
                    "Runtime.evaluate",
                    new JsonObject().put("expression", expression).put("awaitPromise", true));
            if (result.containsKey("exceptionDetails")) {
                throw new AssertionError(result.encode());
            }
            return String.valueOf(result.getJsonObject("result").getValue("value"));
        }

        /** A call of the DevTools protocol, and its result. */
        public JsonObject call(String method, JsonObject params) {
            CompletableFuture<JsonObject> answer = new CompletableFuture<>();
            answers.put(++calls, answer);
            JsonObject call =
                    new JsonObject().put("id", calls).put("method", method).put("params", params);
            socket.sendText(call.encode(), true);
            JsonObject answered = TestServer.await(answer);
            if (answered.containsKey("error")) {
                throw new AssertionError(method + ": " + answered.encode());
            }
            return answered.getJsonObject("result");
        }

        /** From now on keeps what the console shows in red. */
        public void listen() {
            call("Runtime.enable", new JsonObject());
            call("Log.enable", new JsonObject());
        }

        public List<String> complaints() {
            return complaints;
        }

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                JsonObject message = new JsonObject(text.toString());
                text.setLength(0);
                if (message.containsKey("id")) {
                    answers.remove(message.getInteger("id")).complete(message);
                } else {
                    hear(message.getString("method"), message.getJsonObject("params"));
                }
            }
            from.request(1);
            return null;
        }

        private void hear(String event, JsonObject params) {
            boolean complains = event.equals("Runtime.exceptionThrown")
                    || event.equals("Runtime.consoleAPICalled")
                            && params.getString("type").equals("error")
                    || event.equals("Log.entryAdded")
                            && params.getJsonObject("entry").getString("level").equals("error");
            if (complains) {
                complaints.add(params.encode());
            }
        }
    }

    public Tab open(String url) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json/new?" + url))
                .PUT(HttpRequest.BodyPublishers.noBody())
                .build();
        JsonObject made = new JsonObject(
                http.send(request, HttpResponse.BodyHandlers.ofString()).body());
        Tab tab = new Tab(URI.create(made.getString("webSocketDebuggerUrl")));
        TestRedis.await(
                url, () -> tab.type("document.readyState + ' ' + location.href").equals("complete " + url));
        return tab;
    }

    @Override
    public void close() {
        Runtime.getRuntime().removeShutdownHook(end);
        endAll();
    }

    private void endAll() {
        List<ProcessHandle> helpers = process.descendants().toList();
        process.destroy();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        helpers.forEach(helper -> {
            helper.destroyForcibly();
            helper.onExit().join();
        });
    }
}
