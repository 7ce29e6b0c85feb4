package io.delayq.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpRequestDecoder;

/** Tells that a client sends something, before it is a request. */
final class FirstByte extends ChannelInboundHandlerAdapter {
    private final Runnable heard;

    private FirstByte(Runnable heard) {
        this.heard = heard;
    }

    static void of(ChannelPipeline pipeline, Runnable heard) {
        // behind TLS, whose own talk is no request
        ChannelHandlerContext decoder = pipeline.context(HttpRequestDecoder.class);
        pipeline.addBefore(decoder.name(), "first-byte", new FirstByte(heard));
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
        heard.run();
        context.fireChannelRead(bytes);
    }
}
