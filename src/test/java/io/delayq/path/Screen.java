package io.delayq.path;

import io.delayq.docs.Chromium;
import io.delayq.redis.TestRedis;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;

/** The dashboard in a browser, as someone in front of it uses it. */
final class Screen {
    private final Chromium.Tab tab;

    private Screen(Chromium.Tab tab) {
        this.tab = tab;
    }

    static Screen open(Chromium chromium, int port) throws Exception {
        Screen screen = new Screen(chromium.open("http://127.0.0.1:" + port + "/"));
        screen.tab.listen();
        screen.size(1280, 900);
        screen.until("a page", "document.querySelector('h1')");
        return screen;
    }

    Chromium.Tab tab() {
        return tab;
    }

    /** Shows a page, and waits until it has what it loads. */
    void go(String hash) {
        tab.type("new Promise(done => { if (location.hash === " + quoted(hash) + ") return done('');"
                + "addEventListener('hashchange', () => setTimeout(() => done('')), {once: true});"
                + "location.hash = " + quoted(hash) + "; })");
        until(
                hash,
                "location.hash.startsWith(" + quoted(hash) + ") && document.querySelector('main h1')"
                        + " && !document.querySelector('main .skeleton')");
    }

    /** Leaves for another page, as by a link. */
    void visit(String url) {
        tab.call("Page.navigate", new JsonObject().put("url", url));
        until(url, "document.readyState === 'complete' && location.href.startsWith(" + quoted(url) + ")");
    }

    void size(int width, int height) {
        tab.call(
                "Emulation.setDeviceMetricsOverride",
                new JsonObject()
                        .put("width", width)
                        .put("height", height)
                        .put("deviceScaleFactor", 1)
                        .put("mobile", width < 600));
    }

    /** @param theme light or dark */
    void theme(String theme) {
        JsonObject feature =
                new JsonObject().put("name", "prefers-color-scheme").put("value", theme);
        tab.call("Emulation.setEmulatedMedia", new JsonObject().put("features", new JsonArray().add(feature)));
    }

    void until(String what, String condition) {
        until(what, Duration.ofSeconds(20), condition);
    }

    void until(String what, Duration limit, String condition) {
        TestRedis.await(what, limit, () -> is(condition));
    }

    boolean is(String condition) {
        return tab.type("String(Boolean(" + condition + "))").equals("true");
    }

    void click(String selector) {
        until(selector, "document.querySelector(" + quoted(selector) + ")?.disabled === false");
        tab.type("document.querySelector(" + quoted(selector) + ").click()");
    }

    void fill(String selector, String text) {
        tab.type("document.querySelector(" + quoted(selector) + ").value = " + quoted(text));
    }

    String text(String selector) {
        return tab.type("document.querySelector(" + quoted(selector) + ").textContent");
    }

    static String quoted(String text) {
        return new JsonArray().add(text).encode().replaceAll("^\\[|]$", "");
    }
}
