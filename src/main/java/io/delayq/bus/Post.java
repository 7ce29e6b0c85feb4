package io.delayq.bus;

import java.util.List;

/** What a {@link Courier} carries to one address at a time. */
public record Post(List<Object> letters) {
    public Post {
        letters = List.copyOf(letters);
    }
}
