package io.delayq.config;

import io.delayq.config.Refused.Wrong;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Reads the list of users, as a list or as JSON text, and finds all that is wrong in it. No hash is part of a message. */
final class Users {
    static final String EXPECTED = "a list (in a variable or flag: as JSON) of objects with name, bcrypt and role";

    private static final List<String> FIELDS = List.of("name", "bcrypt", "role");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._@-]{1,64}");
    private static final Pattern BCRYPT = Pattern.compile("\\$2[aby]\\$(0[4-9]|1[0-4])\\$[./A-Za-z0-9]{53}");

    private Users() {}

    static List<Settings.User> parse(Object given) throws Refused {
        JsonArray array = Values.list(given);
        List<Wrong> wrongs = new ArrayList<>();
        List<Settings.User> users = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (int i = 0; i < array.size(); i++) {
            String at = "[" + i + "]";
            if (!(array.getValue(i) instanceof JsonObject object)) {
                wrongs.add(new Wrong(at, null, "expected an object with name, bcrypt and role"));
                continue;
            }
            for (String field : object.fieldNames()) {
                if (!FIELDS.contains(field)) {
                    wrongs.add(new Wrong(
                            at + "." + field,
                            null,
                            "unknown; the nearest known field is " + Nearest.to(field, FIELDS)));
                }
            }
            String name = String.valueOf(object.getValue("name"));
            if (!NAME.matcher(name).matches()) {
                wrongs.add(new Wrong(at + ".name", name, "expected 1-64 of letters, digits, '.', '_', '@' and '-'"));
            } else if (!names.add(name)) {
                wrongs.add(new Wrong(at + ".name", name, "used by an earlier user; expected a name of its own"));
            }
            String bcrypt = String.valueOf(object.getValue("bcrypt"));
            if (!BCRYPT.matcher(bcrypt).matches()) {
                wrongs.add(new Wrong(
                        at + ".bcrypt", Values.HIDDEN, "expected a bcrypt hash ($2a$, $2b$ or $2y$, cost 4 to 14)"));
            }
            Object role = object.getValue("role");
            if (!"viewer".equals(role) && !"admin".equals(role)) {
                wrongs.add(new Wrong(at + ".role", role == null ? null : role.toString(), "expected viewer or admin"));
            }
            users.add(new Settings.User(name, bcrypt, "admin".equals(role)));
        }
        if (!wrongs.isEmpty()) {
            throw new Refused(wrongs);
        }
        return users;
    }
}
