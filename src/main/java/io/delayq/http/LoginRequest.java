package io.delayq.http;

import com.fasterxml.jackson.core.JsonToken;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What is typed to log in. */
public record LoginRequest(String user, String password) {
    private static final List<String> FIELDS = List.of("user", "password");
    private static final int LONGEST = 1024;

    /** @throws Problem that quotes nothing of it */
    public static LoginRequest read(byte[] json) {
        try (JsonReader in = JsonReader.of(json)) {
            Map<String, String> given = new HashMap<>();
            if (in.wholeObject(FIELDS, name -> FIELDS.contains(name) && take(in, name, given))) {
                FIELDS.stream()
                        .filter(name -> !given.containsKey(name))
                        .forEach(name -> in.faultAt(name, "expected, and not there"));
            }
            in.faults().throwIfAny();
            return new LoginRequest(given.get("user"), given.get("password"));
        }
    }

    private static boolean take(JsonReader in, String name, Map<String, String> given) {
        String text = in.token() == JsonToken.VALUE_STRING ? in.value() : "";
        if (text.isEmpty() || text.length() > LONGEST) {
            in.fault("expected text of 1 to " + LONGEST + " characters");
            in.skip();
        }
        given.put(name, text);
        return true;
    }

    @Override
    public String toString() {
        return "LoginRequest";
    }
}
