package io.delayq;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * A test that must not run beside the others of its class, some of which are {@link SideBySide}. Waiting for its turn it
 * takes one of their places, and they wait behind it: where there are many, it is better in another class.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ResourceLock(SideBySide.PLACE)
public @interface Alone {}
