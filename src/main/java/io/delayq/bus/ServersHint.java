package io.delayq.bus;

/** A server has come or gone. */
public record ServersHint() {}
