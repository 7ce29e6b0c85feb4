package io.delayq.config;

import io.delayq.job.Durations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Makes {@code docs/configuration.md} from {@link KeyTable}; {@link ConfigurationPageTest} holds the file to it. */
final class ConfigurationPage {
    static final Path FILE = Path.of("docs/configuration.md");
    static final String REMAKE = "mvn -B test -Dtest=ConfigurationPageTest -Ddelayq.write=true";

    private static final String HEAD =
            """
            # Configuration

            <!-- Made from io.delayq.config.KeyTable. Change the table, then: %s -->

            Nothing has to be set. A flag wins over its environment variable, the variable over the file, and the file over the default; an empty variable counts as not set.

            ```sh
            bin/delayq serve -c my.yaml                       # the file; conf/delayq.yaml if none is named
            DELAYQ_HTTP_PORT=9000 bin/delayq serve            # a variable
            bin/delayq serve --http.port=9000 --insecure      # flags
            bin/delayq doctor -c my.yaml                      # checks it all and starts nothing
            ```

            In the file the dots are sections: `http.port` is `port` under `http:`. An unknown key, a value out of bounds, a key given twice: the server does not start, and says all faults at once, each with where it was found and what was expected. A `DELAYQ_` variable that names no setting is only warned of. Secrets are never printed.

            Durations are `250ms`, `30s`, `15m`, `24h`, `7d`, `1h30m` or `PT15M`; digits alone are milliseconds.

            | setting | default | what it does |
            |---|---|---|
            """;

    private static final String TOKENS =
            """

            ## Tokens

            Without `tokens` the server listens on a loopback address only, unless `insecure` says otherwise, and asks nobody who they are. With them every call but health and descriptions needs `Authorization: Bearer <token>`.

            ```yaml
            tokens:
              - name: shop
                sha256: "0000000000000000000000000000000000000000000000000000000000000000" # printf %s "$TOKEN" | sha256sum
                rights: [push]
                topics: ["order.*"]
              - name: operator
                token: <a long random text>
                rights: [push, consume, admin]
            ```

            | field | |
            |---|---|
            | `name` | 1-64 of letters, digits, `.`, `_` and `-`; each token has its own |
            | `token` or `sha256` | the secret, 1-512 visible ASCII characters; or its SHA-256 in hex, so that the file does not hold it |
            | `rights` | `push`: store, move and cancel jobs. `consume`: reserve, subscribe, ack, nack, extend. `admin`: the topic list and metrics. One job, and one topic's counts, can be read with `push` or `consume` |
            | `topics` | patterns in which `*` is any run of characters; left out: all topics |

            In a variable or a flag the list is JSON: `DELAYQ_TOKENS='[{"name":"shop","token":"...","rights":["push"]}]'`. Other users of a machine can see flags.

            ## Other variables

            | variable | read by | |
            |---|---|---|
            | `DELAYQ_URL`, `DELAYQ_TOKEN` | the commands | which server to ask, and as whom; without a URL the one that `http.host` and `http.port` name |
            | `DELAYQ_JAVA_OPTS` | `bin/delayq` | options for java, split at spaces |
            | `JAVA_HOME` | `bin/delayq` | the java to use |
            | `NO_COLOR` | the commands | if set, no colour |
            """;

    private ConfigurationPage() {}

    static String text() {
        StringBuilder text = new StringBuilder(HEAD.replace("%s -->", REMAKE + " -->"));
        for (Key<?> key : KeyTable.ALL) {
            text.append("| `")
                    .append(key.name())
                    .append("` | ")
                    .append(shown(key))
                    .append(" | ");
            text.append(cell(key.description())).append("<br>");
            text.append("Expected: ").append(cell(expected(key))).append(".<br>");
            text.append('`')
                    .append(key.variable())
                    .append("`, `")
                    .append(key.flag())
                    .append("` |\n");
        }
        return text.append(TOKENS).toString();
    }

    static void write() throws IOException {
        Files.writeString(FILE, text());
    }

    private static String shown(Key<?> key) {
        return key.defaultText() == null ? "not set" : "`" + key.defaultText() + "`";
    }

    /** Without the examples of a duration, which stand above the table once. */
    private static String expected(Key<?> key) {
        return key.expected().replace(Durations.EXPECTED, "a duration");
    }

    private static String cell(String text) {
        return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;");
    }
}
