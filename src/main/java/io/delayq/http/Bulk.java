package io.delayq.http;

import com.fasterxml.jackson.core.JsonStreamContext;
import com.fasterxml.jackson.core.JsonToken;
import io.delayq.job.IdSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Reads a JSON array of jobs a slice at a time, so that the caller can give its event loop back between slices. Broken
 * JSON anywhere refuses the whole: nothing may be stored before {@link #next} has said that there is no more.
 */
public final class Bulk implements AutoCloseable {
    public static final int MAX_JOBS = 10_000;

    /** About a millisecond's worth, however few jobs that is. */
    private static final int SLICE_BYTES = 256 << 10;

    private static final int CHECK_BYTES = 1 << 20;

    private final byte[] json;
    private final String traceparent;
    private final IdSource ids;
    private final long now;
    private final Targets targets;
    private final List<Row> rows = new ArrayList<>();
    private int checked;
    private JsonReader in;
    private JsonStreamContext list;

    public Bulk(byte[] json, String traceparent, IdSource ids, long now, Targets targets) {
        if (json.length > Json.MAX_REQUEST_BYTES) {
            throw Problem.tooLarge("", "expected at most 16 MiB, found " + json.length + " bytes; send it in parts");
        }
        this.json = json;
        this.traceparent = traceparent;
        this.ids = ids;
        this.now = now;
        this.targets = targets;
    }

    /**
     * Reads on, at most {@code maxJobs} further jobs.
     *
     * @return whether there is more to read
     * @throws Problem if the text is not a JSON array of at most 10,000 values
     */
    public boolean next(int maxJobs) {
        if (checked < json.length || json.length == 0) {
            checkOn();
            return true;
        }
        if (in == null) {
            open();
        }
        int from = in.tokenEnd();
        for (int i = 0; i < maxJobs && in.tokenEnd() - from < SLICE_BYTES; i++) {
            JsonToken first = in.next();
            if (first == JsonToken.END_ARRAY) {
                in.end();
                close();
                return false;
            }
            if (rows.size() == MAX_JOBS) {
                throw Problem.tooLarge(
                        "", "expected at most 10000 jobs in one request; send them in parts, or as NDJSON");
            }
            in.beginElement(list);
            rows.add(JobRequest.element(in, first, rows.size(), traceparent, ids, now, targets));
        }
        return true;
    }

    /** What has been read so far, in input order. */
    public List<Row> rows() {
        return Collections.unmodifiableList(rows);
    }

    private void checkOn() {
        int to = Math.min(json.length, checked + CHECK_BYTES);
        for (int back = 0; back < 3 && to < json.length && (json[to] & 0xc0) == 0x80; back++) {
            to--;
        }
        Json.checkText(json, checked, to);
        checked = to;
        if (json.length == 0) {
            throw Problem.invalid("", "expected a list of jobs; found no text at all");
        }
    }

    private void open() {
        in = JsonReader.ofChecked(json);
        JsonToken first = in.next();
        if (first != JsonToken.START_ARRAY) {
            throw Problem.invalid("", "expected a list of jobs; put even a single one into [ ]");
        }
        list = in.context();
    }

    @Override
    public void close() {
        if (in != null) {
            in.close();
        }
    }
}
