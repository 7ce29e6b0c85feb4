package io.delayq.http;

import io.vertx.core.http.HttpMethod;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells what admins did: who, what and how many, never what it held. One for each request; owned by its event loop. */
public final class Audit {
    private static final Logger log = LoggerFactory.getLogger("io.delayq.audit");

    private Access.Caller caller;
    private Object address;
    private String topic;
    private String notes = "";

    /** Whoever calls was let in. @param topic null: none, or not one that may be written down */
    void begins(Access.Caller caller, Object address, String topic) {
        this.caller = caller;
        this.address = address;
        this.topic = topic;
    }

    /** For example how many jobs it came to. */
    void note(String name, Object value) {
        notes += " " + name + "=" + value;
    }

    /** Every call of an admin that is not only a look, and those that noted something. */
    void ends(Api.Route route, int status) {
        boolean changes = route.right() == Right.ADMIN && !HttpMethod.GET.equals(route.method());
        if (caller != null && (changes || !notes.isEmpty())) {
            log.info(
                    "{} did=\"{} {}\"{}{} status={}",
                    caller.who(address),
                    route.method(),
                    route.path(),
                    topic == null ? "" : " topic=" + topic,
                    notes,
                    status);
        }
    }

    /** @param user null: none that is known; what was typed there might be a password */
    public static void login(String user, Object address, int status) {
        log.info("user={} from={} did=\"login\" status={}", user == null ? "?" : user, address, status);
    }

    public static void logout(String user, Object address) {
        log.info("user={} from={} did=\"logout\" status=204", user, address);
    }
}
