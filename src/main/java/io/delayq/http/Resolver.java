package io.delayq.http;

import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/** Finds the addresses of a name. */
@FunctionalInterface
public interface Resolver {
    /** All of them, at least one; fails if there is none, or it cannot be told. Answers on the event loop that asks. */
    Future<List<InetAddress>> resolve(String name);

    /** As Vert.x does it: the hosts file, then the system's name servers, kept for as long as these say. */
    static Resolver of(Vertx vertx) {
        return name -> {
            VertxInternal internal = (VertxInternal) vertx;
            ContextInternal context = internal.getOrCreateContext();
            EventLoop loop = context.nettyEventLoop();
            Promise<List<InetAddress>> found = context.promise();
            internal.nameResolver().resolveAll(loop, name).addListener(done -> {
                if (done.isSuccess()) {
                    @SuppressWarnings("unchecked")
                    List<InetSocketAddress> all = (List<InetSocketAddress>) done.getNow();
                    found.complete(
                            all.stream().map(InetSocketAddress::getAddress).toList());
                } else {
                    found.fail(done.cause());
                }
            });
            return found.future();
        };
    }
}
