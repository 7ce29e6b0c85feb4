package io.delayq.http;

import java.util.Set;

/** What a caller must be allowed to do. Every route names one where it is declared. */
public enum Right {
    /** Anyone. */
    NONE(Set.of()),
    PUSH(Set.of("push")),
    CONSUME(Set.of("consume")),
    PUSH_OR_CONSUME(Set.of("push", "consume")),
    /** To open a WebSocket; what may be done over it is asked message by message. */
    CONNECT(Set.of("push", "consume")),
    PUSH_OR_CONSUME_OR_ADMIN(Set.of("push", "consume", "admin")),
    ADMIN(Set.of("admin"));

    private final Set<String> anyOf;

    Right(Set<String> anyOf) {
        this.anyOf = anyOf;
    }

    /** The words for it in a token's rights; one of them is enough, and {@code admin} is no substitute. */
    Set<String> anyOf() {
        return anyOf;
    }
}
