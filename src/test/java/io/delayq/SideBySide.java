package io.delayq;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * A test that mostly waits: it may run beside another one of its class, never beside another class. It shares nothing
 * with them that one of them changes, and measures no short times. Those of the class that do not have this mark are
 * {@link Alone}.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = SideBySide.PLACE, mode = ResourceAccessMode.READ)
public @interface SideBySide {
    /** Had by one that is {@link Alone}, or shared by those that are not. */
    String PLACE = "place";
}
