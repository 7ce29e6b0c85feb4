package io.delayq.bus;

/**
 * Somebody on this server listens to its events. Repeated every two seconds while that lasts.
 *
 * @param begins answered with the text to begin with, a Buffer
 */
public record Listen(boolean begins) {}
