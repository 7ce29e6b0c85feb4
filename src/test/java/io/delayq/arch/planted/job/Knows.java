package io.delayq.arch.planted.job;

import io.vertx.core.Vertx;

/** A word of the vocabulary that knows the machinery. */
public record Knows(Vertx vertx) {}
