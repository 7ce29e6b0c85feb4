package io.delayq.compat;

import io.delayq.http.Call;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.multipart.Attribute;
import io.netty.handler.codec.http.multipart.DefaultHttpDataFactory;
import io.netty.handler.codec.http.multipart.HttpPostRequestDecoder;
import io.netty.handler.codec.http.multipart.InterfaceHttpData;
import io.vertx.core.http.HttpHeaders;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** The fields of a form, urlencoded or multipart; of a field that is given twice the first. */
final class Form {
    private static final int MOST_FIELDS = 1_000;

    private Form() {}

    /** Empty if the body is no form. */
    static Map<String, String> of(Call call) {
        String type = call.request().getHeader(HttpHeaders.CONTENT_TYPE);
        Map<String, String> fields = new HashMap<>();
        if (type == null || !isForm(type.toLowerCase(Locale.ROOT))) {
            return fields;
        }
        FullHttpRequest request = new DefaultFullHttpRequest(
                HttpVersion.HTTP_1_1, HttpMethod.POST, "/", Unpooled.wrappedBuffer(call.body()));
        request.headers().set(HttpHeaderNames.CONTENT_TYPE, type);
        HttpPostRequestDecoder decoder = null;
        try {
            decoder = new HttpPostRequestDecoder(
                    new DefaultHttpDataFactory(false),
                    request,
                    StandardCharsets.UTF_8,
                    MOST_FIELDS,
                    Math.max(1, call.body().length));
            for (InterfaceHttpData field : decoder.getBodyHttpDatas()) {
                if (field instanceof Attribute attribute) {
                    fields.putIfAbsent(attribute.getName(), GoText.wellFormed(attribute.getValue()));
                }
            }
        } catch (HttpPostRequestDecoder.ErrorDataDecoderException
                | HttpPostRequestDecoder.TooManyFormFieldsException
                | HttpPostRequestDecoder.TooLongFormFieldException e) {
            return fields;
        } catch (IOException e) {
            throw new IllegalArgumentException("the form cannot be read", e);
        } finally {
            if (decoder != null) {
                decoder.destroy();
            }
        }
        return fields;
    }

    private static boolean isForm(String type) {
        return type.startsWith("application/x-www-form-urlencoded") || type.startsWith("multipart/form-data");
    }
}
