package io.delayq.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.delayq.config.Settings.Instances;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a server may be told to do. */
class RolesTest extends LoadingTestBase {
    @Test
    void a_server_does_all_unless_told_otherwise() {
        assertEquals(new Instances(1, 1, 1, 1, 1), loaded().instances());
        assertEquals(
                List.of(Role.INGRESS, Role.SCANNER, Role.DISPATCHER, Role.GATEWAY, Role.WEBHOOK),
                loaded().instances().roles());
    }

    @Test
    void a_role_that_is_not_named_has_no_instances() {
        yaml = "roles: [ingress, scanner]\ninstances: {scanner: 3, gateway: 5}";
        assertEquals(new Instances(1, 3, 0, 0, 0), loaded().instances());
        assertEquals(List.of(Role.INGRESS, Role.SCANNER), loaded().instances().roles());
    }

    @ParameterizedTest
    @ValueSource(strings = {"scanner", "[scanner]", "[ scanner , webhook ]", "scanner,webhook", "scanner, webhook"})
    void in_a_flag_or_variable_it_is_a_list_with_commas(String text) {
        env("DELAYQ_ROLES", text);
        assertEquals(new Instances(0, 1, 0, 0, text.contains("webhook") ? 1 : 0), loaded().instances());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[ingress]",
                "[scanner]",
                "[webhook]",
                "[ingress, scanner]",
                "[ingress, dispatcher]",
                "[ingress, dispatcher, gateway]",
                "[scanner, webhook]",
            })
    void these_work(String roles) {
        yaml = "roles: " + roles;
        loaded();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    [gateway]                      | gateway needs ingress: WebSockets come in through its port
                    [gateway, dispatcher, scanner] | gateway needs ingress: WebSockets come in through its port
                    [ingress, gateway]             | gateway needs dispatcher: nobody would hand jobs to its subscribers
                    [dispatcher]                   | dispatcher needs ingress: it would have nobody to hand jobs to
                    [scanner, dispatcher, webhook] | dispatcher needs ingress: it would have nobody to hand jobs to
                    """)
    void these_do_not_and_the_reason_is_told(String roles, String reason) {
        yaml = "roles: " + roles;
        assertEquals("roles", onlyFault().key());
        assertEquals(roles, onlyFault().given());
        assertEquals(reason, onlyFault().problem());
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "''", "[scaner]", "[scanner, scanner]", "[1]", "7", "[[scanner]]", "Scanner"})
    void what_is_no_list_of_roles_is_refused(String text) {
        yaml = "roles: " + text;
        assertEquals("roles", onlyFault().key());
    }

    @Test
    void a_wrong_one_is_told_with_what_was_expected() {
        flags("--roles=ingress,scaner");
        assertLine(
                failed(),
                "roles: \"ingress,scaner\" (flag --roles): expected a list of some of ingress, scanner, dispatcher,"
                        + " gateway, webhook, each once");
    }
}
