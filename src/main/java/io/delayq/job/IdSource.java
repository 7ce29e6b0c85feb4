package io.delayq.job;

/** Makes an id for a job that was pushed without one. */
@FunctionalInterface
public interface IdSource {
    String next();
}
