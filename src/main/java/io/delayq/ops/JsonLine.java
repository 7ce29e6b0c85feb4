package io.delayq.ops;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.LayoutBase;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.slf4j.event.KeyValuePair;

/** One event as a JSON object on one line. */
final class JsonLine extends LayoutBase<ILoggingEvent> {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSX").withZone(ZoneOffset.UTC);
    private static final int FRAMES = 50;

    @Override
    public String doLayout(ILoggingEvent event) {
        StringBuilder out = new StringBuilder(256);
        text(out.append('{'), "time", TIME.format(Instant.ofEpochMilli(event.getTimeStamp())));
        text(out.append(','), "level", event.getLevel().toString().toLowerCase(Locale.ROOT));
        text(out.append(','), "logger", event.getLoggerName());
        text(out.append(','), "message", String.valueOf(event.getFormattedMessage()));
        if (event.getKeyValuePairs() != null) {
            for (KeyValuePair pair : event.getKeyValuePairs()) {
                out.append(',');
                if (pair.value instanceof Number number) {
                    out.append('"').append(pair.key).append("\":").append(number);
                } else {
                    text(out, pair.key, String.valueOf(pair.value));
                }
            }
        }
        String request = event.getMDCPropertyMap().get(AccessLog.REQUEST);
        if (request != null) {
            text(out.append(','), AccessLog.REQUEST, request);
        }
        if (event.getThrowableProxy() != null) {
            text(out.append(','), "trace", LogText.trace(event.getThrowableProxy(), FRAMES));
        }
        return out.append("}\n").toString();
    }

    private static void text(StringBuilder out, String name, String value) {
        out.append('"').append(name).append("\":\"");
        LogText.append(out, value, true);
        out.append('"');
    }
}
