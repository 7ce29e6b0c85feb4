package io.delayq.http;

import com.fasterxml.jackson.core.JsonToken;
import java.util.ArrayList;
import java.util.List;

/** The small requests about topics. */
public final class TopicRequest {
    public static final int MAX_IDS = 1_000;

    private static final List<String> REQUEUE = List.of("ids");

    private TopicRequest() {}

    /**
     * Which dead jobs to requeue.
     *
     * @return null: all of them
     */
    public static List<String> requeue(byte[] json) {
        if (json.length == 0) {
            return null;
        }
        try (JsonReader in = JsonReader.of(json)) {
            List<List<String>> given = new ArrayList<>(1);
            in.wholeObject(REQUEUE, name -> REQUEUE.contains(name) && given.add(ids(in)));
            in.faults().throwIfAny();
            return given.isEmpty() ? null : given.get(0);
        }
    }

    /**
     * For a call that takes no fields. One that has some was meant to do less than the call does.
     *
     * @throws Problem unless the body is empty or an empty object
     */
    public static void nothing(byte[] json) {
        if (json.length == 0) {
            return;
        }
        try (JsonReader in = JsonReader.of(json)) {
            if (in.next() != JsonToken.START_OBJECT) {
                throw Problem.invalid("", "expected an empty body or {}");
            }
            while (in.next() == JsonToken.FIELD_NAME) {
                in.next();
                in.fault("unknown field; this call takes none");
                in.skip();
            }
            in.end();
            in.faults().throwIfAny();
        }
    }

    private static List<String> ids(JsonReader in) {
        List<String> ids = new ArrayList<>();
        if (in.token() != JsonToken.START_ARRAY) {
            in.expected("a list of 1 to 1000 ids");
            return ids;
        }
        int count = 0;
        while (in.next() != JsonToken.END_ARRAY) {
            if (++count > MAX_IDS) {
                in.skip();
            } else {
                ids.add(JobFields.id(in));
            }
        }
        if (count == 0 || count > MAX_IDS) {
            in.fault("expected a list of 1 to 1000 ids, found " + count);
        }
        return ids;
    }
}
