/**
 * The Java client: {@link io.delayq.client.DelayqClient} for Vert.x applications, {@link io.delayq.client.PlainClient} for
 * those that want no Vert.x type. Speaks only the wire contract; knows nothing of the server's rooms.
 */
package io.delayq.client;
