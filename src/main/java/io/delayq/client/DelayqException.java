package io.delayq.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The server refused, or could not be asked. */
public final class DelayqException extends RuntimeException {
    private final int status;
    private final String type;
    private final String detail;
    private final transient List<Fault> faults;

    /** One fault of the input: where, as a JSON pointer, and what. */
    public record Fault(String pointer, String detail) {}

    DelayqException(int status, String type, String detail, List<Fault> faults, Throwable cause) {
        super(message(status, type, detail, faults), cause);
        this.status = status;
        this.type = type;
        this.detail = detail;
        this.faults = List.copyOf(faults);
    }

    static DelayqException noAnswer(String detail, Throwable cause) {
        return new DelayqException(0, null, detail, List.of(), cause);
    }

    /** @param problem an RFC 9457 body; whatever is not one still gives the status */
    static DelayqException of(int status, JsonNode problem) {
        List<Fault> faults = new ArrayList<>();
        for (JsonNode fault : problem.path("errors")) {
            faults.add(new Fault(
                    fault.path("pointer").asText(""), fault.path("detail").asText("")));
        }
        return new DelayqException(
                status,
                problem.path("type").asText(null),
                problem.path("detail").asText("the server answered " + status),
                faults,
                null);
    }

    /** Of the answer; 0 if there was none. */
    public int status() {
        return status;
    }

    /** Such as {@code /problems/job-exists}; null if there was no problem in the answer, or no answer. */
    public String type() {
        return type;
    }

    public boolean is(String problem) {
        return ("/problems/" + problem).equals(type);
    }

    public String detail() {
        return detail;
    }

    public List<Fault> faults() {
        return faults == null ? List.of() : faults;
    }

    private static String message(int status, String type, String detail, List<Fault> faults) {
        String head = status == 0 ? detail : status + (type == null ? "" : " " + type) + ": " + detail;
        return faults.isEmpty()
                ? head
                : faults.stream()
                        .map(fault -> fault.pointer + " " + fault.detail)
                        .collect(Collectors.joining("; ", head + " (", ")"));
    }
}
