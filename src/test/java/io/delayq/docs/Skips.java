package io.delayq.docs;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestWatcher;

/** Says which test was skipped and why, which the build's summary does not. */
public final class Skips implements TestWatcher {
    @Override
    public void testAborted(ExtensionContext context, Throwable cause) {
        tell(context.getDisplayName(), cause);
    }

    static void tell(String test, Throwable cause) {
        System.err.println("skipped: " + test + ": " + cause.getMessage());
    }
}
