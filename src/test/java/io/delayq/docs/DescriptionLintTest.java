package io.delayq.docs;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What others' tools say of our descriptions. They are not part of the build; {@code .ci/run} fetches them. */
@ExtendWith(Skips.class)
class DescriptionLintTest {
    private static final Path TOOLS = Path.of("build/lint/node_modules");
    private static final String PARSE =
            """
            import { Parser } from '@asyncapi/parser';
            import fs from 'fs';
            const { diagnostics } = await new Parser().parse(fs.readFileSync(process.argv[2], 'utf8'));
            const errors = diagnostics.filter((one) => one.severity === 0);
            errors.forEach((one) => console.log(one.path.join('/'), one.message));
            process.exit(errors.length === 0 ? 0 : 1);
            """;

    @Test
    void redocly_finds_no_error_in_openapi_yaml() {
        Path tool = TOOLS.resolve("@redocly/cli/bin/cli.js");
        need(tool);
        Machine.run("timeout", "60", "node", tool.toString(), "lint", "src/main/resources/openapi.yaml");
    }

    @Test
    void the_parser_finds_no_error_in_asyncapi_yaml() throws Exception {
        need(TOOLS.resolve("@asyncapi/parser"));
        // modules are looked for beside the script
        Path script = TOOLS.resolveSibling("parse.mjs");
        Files.writeString(script, PARSE);
        Machine.run("timeout", "60", "node", script.toString(), "src/main/resources/asyncapi.yaml");
    }

    private static void need(Path tool) {
        Machine.needTool("node");
        Machine.need(Files.exists(tool), "npm install --prefix build/lint @redocly/cli @asyncapi/parser was not run");
    }
}
