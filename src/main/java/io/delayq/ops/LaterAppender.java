package io.delayq.ops;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.Appender;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Writes on a thread of its own, so that no event loop waits for a disk or a pipe. When that thread is too far behind,
 * lines are left out, and how many is said as soon as there is room.
 */
final class LaterAppender extends AsyncAppender {
    private static final int MOST_WAITING = 8_192;
    private static final int FLUSH_MILLIS = 2_000;

    private final AtomicLong lost = new AtomicLong();

    LaterAppender(LoggerContext context, Appender<ILoggingEvent> to) {
        this(context, to, MOST_WAITING);
    }

    LaterAppender(LoggerContext context, Appender<ILoggingEvent> to, int mostWaiting) {
        setContext(context);
        setName(to.getName() + "-later");
        setQueueSize(mostWaiting);
        setDiscardingThreshold(0);
        setNeverBlock(true);
        setMaxFlushTime(FLUSH_MILLIS);
        addAppender(to);
    }

    @Override
    protected void append(ILoggingEvent event) {
        // another thread may take the last place in between: that line is lost uncounted
        int room = getRemainingCapacity();
        if (room == 0) {
            lost.incrementAndGet();
            return;
        }
        // not for every line in between: that would be one more to leave out
        if (room > getQueueSize() / 2 && lost.get() > 0) {
            Logger logger = ((LoggerContext) getContext()).getLogger(LaterAppender.class);
            Object[] count = {lost.getAndSet(0)};
            super.append(new LoggingEvent(null, logger, Level.WARN, "log lines left out count={}", null, count));
        }
        super.append(event);
    }
}
