package io.delayq.ingress.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class HtmlTest {
    private static final String NASTY = "<img src=x onerror=\"alert('1')\"> & more";
    private static final String TAME = "&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt; &amp; more";

    @Test
    void text_and_attributes_are_shown_and_never_run() {
        assertEquals(
                "<a title=\"" + TAME + "\">" + TAME + "</a>",
                new Html().put("a", NASTY, "title", NASTY).toString());
    }

    @Test
    void marks_become_elements_and_what_is_in_them_is_text() {
        Html out = new Html();
        Markup.line(out, "a `<b>`,\n  **<i>** and <u>");
        assertEquals("a <code>&lt;b&gt;</code>, <strong>&lt;i&gt;</strong> and &lt;u&gt;", out.toString());
    }

    @Test
    void an_empty_line_begins_a_paragraph() {
        Html out = new Html();
        Markup.paragraphs(out, "one\ntwo\n\nthree\n");
        assertEquals("<p>one two</p><p>three</p>", out.toString());
    }

    @Test
    void a_command_can_be_pasted_whatever_it_quotes() {
        assertEquals(
                "curl -X PUT --json '{\"it'\\''s\":1}' http://127.0.0.1:9277/v1/x",
                Sample.curl(
                        "put",
                        "/v1/x",
                        "application/json",
                        com.fasterxml.jackson.databind.node.JsonNodeFactory.instance
                                .objectNode()
                                .put("it's", 1)));
        assertEquals("curl http://127.0.0.1:9277/v1/x", Sample.curl("get", "/v1/x", null, null));
    }
}
