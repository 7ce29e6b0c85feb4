package io.delayq.ops;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.LayoutBase;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import org.slf4j.event.KeyValuePair;

/** One event as a line for people, followed by its stack trace if it has one. */
public final class TextLine extends LayoutBase<ILoggingEvent> {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX").withZone(ZoneId.systemDefault());

    private int frames = 8;

    /** Most lines of one throwable's stack. */
    public void setFrames(int most) {
        frames = most;
    }

    @Override
    public String doLayout(ILoggingEvent event) {
        StringBuilder out = new StringBuilder(160);
        TIME.formatTo(Instant.ofEpochMilli(event.getTimeStamp()), out);
        String level = event.getLevel().toString();
        out.append(' ').append(level).append(level.length() < 5 ? "  " : " ");
        String logger = event.getLoggerName();
        out.append(logger, logger.lastIndexOf('.') + 1, logger.length()).append(' ');
        LogText.append(out, String.valueOf(event.getFormattedMessage()), false);
        if (event.getKeyValuePairs() != null) {
            for (KeyValuePair pair : event.getKeyValuePairs()) {
                LogText.appendValue(out.append(' ').append(pair.key).append('='), String.valueOf(pair.value));
            }
        }
        String request = event.getMDCPropertyMap().get(AccessLog.REQUEST);
        if (request != null) {
            LogText.appendValue(out.append(" request="), request);
        }
        out.append('\n');
        if (event.getThrowableProxy() != null) {
            out.append(LogText.trace(event.getThrowableProxy(), frames));
        }
        return out.toString();
    }
}
