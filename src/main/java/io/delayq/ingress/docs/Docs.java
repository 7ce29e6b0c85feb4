package io.delayq.ingress.docs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.delayq.http.ProblemType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * The descriptions of the wire contract as pages.
 *
 * @param api the page about all calls
 * @param problems the pages about problems, by path
 * @param headers what each page is sent with
 */
public record Docs(String api, Map<String, String> problems, Map<String, String> headers) {
    public static final String OPEN_API = "/openapi.yaml";
    public static final String ASYNC_API = "/asyncapi.yaml";

    /** Takes its time: not on an event loop. */
    public static Docs render() {
        Frame frame = new Frame(resource("/docs/style.css"), resource("/docs/script.js"));
        JsonNode rest = yaml(OPEN_API);
        Calls calls = new Calls(rest);
        Messages messages = new Messages(yaml(ASYNC_API));
        JsonNode words = yaml("/docs/problems.yaml");
        Map<String, String> problems = new HashMap<>();
        for (ProblemType type : ProblemType.values()) {
            JsonNode about = words.get(Calls.name(type.uri()));
            problems.put(
                    type.uri(),
                    frame.page(type.title() + " · delayq", false, out -> ProblemPage.write(out, type, about, calls)));
        }
        String api = frame.page("delayq API", true, out -> api(out, rest, calls, messages));
        return new Docs(api, Map.copyOf(problems), frame.headers());
    }

    private static void api(Html out, JsonNode rest, Calls calls, Messages messages) {
        Frame.bar(out, true);
        contents(out, calls, messages);
        out.open("main", "id", "content").put("h1", rest.at("/info/title").asText() + " API");
        Markup.paragraphs(out, rest.at("/info/description").asText());
        out.put("h2", "Who may call", "id", "rights");
        rest.at("/components/securitySchemes")
                .forEach(scheme ->
                        Markup.paragraphs(out, scheme.get("description").asText()));
        Sample.block(out, "curl -H 'Authorization: Bearer <token>' http://127.0.0.1:9277/v1/topics");
        calls.write(out);
        messages.write(out);
        out.open("section", "aria-labelledby", "problems").put("h2", "Problems", "id", "problems");
        out.put("p", "Each has a page that says what it means and what to do.").open("p", "class", "usual");
        for (ProblemType type : ProblemType.values()) {
            Calls.link(out, type.uri(), type.status() + " " + Calls.name(type.uri()));
        }
        out.close("p").close("section").close("main");
    }

    private static void contents(Html out, Calls calls, Messages messages) {
        out.open("nav", "class", "contents", "aria-label", "Calls")
                .open("details", "open", "")
                .put("summary", "Contents");
        calls.byTheme().forEach((theme, list) -> {
            theme(out, theme);
            list.forEach(call -> entry(out, call.id(), call.method(), call.method(), call.summary()));
            out.close("ul");
        });
        theme(out, Messages.THEME);
        List<Messages.Op> ops = messages.ops();
        ops.forEach(op ->
                entry(out, op.id(), op.fromClient() ? "post" : "get", op.fromClient() ? "send" : "recv", op.name()));
        out.close("ul");
        theme(out, "Problems");
        out.close("ul").close("details").close("nav");
    }

    private static void theme(Html out, String name) {
        String anchor = name.equals("Problems") ? "problems" : Calls.anchor(name);
        out.put("a", name, "class", "theme", "href", "#" + anchor).open("ul");
    }

    private static void entry(Html out, String id, String color, String badge, String text) {
        out.open("li").open("a", "href", "#" + id);
        out.put("span", badge.toUpperCase(java.util.Locale.ROOT), "class", "badge " + color);
        out.text(text).close("a").close("li");
    }

    static JsonNode yaml(String name) {
        Object loaded = new Yaml(new SafeConstructor(new LoaderOptions())).load(resource(name));
        return new ObjectMapper().valueToTree(loaded);
    }

    public static String resource(String name) {
        try (InputStream in = Docs.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
