package io.delayq.fault;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.delayq.redis.TestRedis;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What one logger says while this is open. */
public final class LogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Logger logger;
    private final List<String> lines = new CopyOnWriteArrayList<>();

    public LogLines(String name) {
        // until then who asks while another test asks for the first time gets a stand-in
        TestRedis.await("logging set up", () -> LoggerFactory.getILoggerFactory() instanceof LoggerContext);
        logger = (Logger) LoggerFactory.getLogger(name);
        start();
        logger.addAppender(this);
    }

    public List<String> all() {
        return lines;
    }

    public boolean contain(String text) {
        return lines.stream().anyMatch(line -> line.contains(text));
    }

    @Override
    protected void append(ILoggingEvent event) {
        lines.add(event.getFormattedMessage());
    }

    @Override
    public void close() {
        logger.detachAppender(this);
    }
}
