package io.delayq.bus;

import io.delayq.job.Delivery;
import java.util.List;

/**
 * Reserved jobs for a consumer. Answered true: taken, they are the room's now; false: refused, the sender releases them.
 *
 * @param number unique; a batch that comes twice under its number is answered taken and ignored
 */
public record Batch(String number, long consumer, String topic, List<Delivery> jobs) {
    public Batch {
        jobs = List.copyOf(jobs);
    }
}
