package io.delayq.webhook;

import io.delayq.http.JobJson;
import io.delayq.http.Targets;
import io.delayq.job.Delivery;
import io.delayq.job.TopicSettings.Webhook;
import io.delayq.job.TopicSettings.Webhook.Success;
import io.delayq.ops.Meters;
import io.delayq.redis.Store;
import io.delayq.webhook.CallClient.Answer;
import io.delayq.webhook.Verdict.Outcome;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls jobs, so many at a time to a host and in all, and settles each by what came of it. A job is called as soon as its
 * host bears it; one that would wait long goes back to the clock. Owned by one event loop.
 */
final class Calls {
    private static final Logger log = LoggerFactory.getLogger(Calls.class);
    private static final int MOST_CALLS = 1_000;
    private static final int MOST_HOSTS = 10_000;
    private static final int ANSWER_BYTES = 2 << 10;
    private static final long MILLIS = 1_000_000;
    private static final long FORGET_NANOS = 60_000 * MILLIS;
    private static final long LONGEST_QUEUED_NANOS = 1_000 * MILLIS;

    private final Vertx vertx;
    private final Store store;
    private final Targets targets;
    private final CallClient client;
    private final Meters meters;
    private final int callsPerHost;
    private final int queuedPerHost;
    private final Consumer<Held> settled;
    private final Map<String, Host> hosts = new LinkedHashMap<>();
    /** Hosts that bear more calls than there was room for in all. */
    private final Set<Host> starving = new LinkedHashSet<>();

    private int underWay;
    private long lookedLast = System.nanoTime();
    private int open;
    private Promise<Void> empty;

    /** What the attempt log is to say. */
    private record Told(CallRequest request, InetAddress address, Answer answer) {
        static final Told NOTHING = new Told(null, null, null);
    }

    /** @param settled is told of each job when it is over, whatever became of it */
    Calls(
            Vertx vertx,
            Store store,
            Targets targets,
            CallClient client,
            Meters meters,
            int callsPerHost,
            int queuedPerHost,
            Consumer<Held> settled) {
        this.vertx = vertx;
        this.store = store;
        this.targets = targets;
        this.client = client;
        this.meters = meters;
        this.callsPerHost = callsPerHost;
        this.queuedPerHost = queuedPerHost;
        this.settled = settled;
    }

    int underWay() {
        return underWay;
    }

    void take(Delivery job, String line) {
        long now = System.nanoTime();
        open++;
        if (empty != null || job.hook().callback() == null) {
            // a topic whose callback was taken away has its jobs back
            defer(new Held(job, line, null, now), 0);
            return;
        }
        URI url = url(job);
        Held held = new Held(job, line, url, now);
        if (url == null) {
            settle(held, Verdict.failed("its url is not one that can be called", false), Told.NOTHING);
            return;
        }
        Host host = host(held, now);
        long wait = host.deferral(now, held.patienceNanos());
        if (wait > 0) {
            defer(held, wait);
        } else {
            host.queue.add(held);
            startOn(host, now);
        }
    }

    private static URI url(Delivery job) {
        try {
            URI url = new URI(job.hook().callback().url());
            return url.getScheme() == null || url.getHost() == null ? null : url;
        } catch (URISyntaxException e) {
            return null;
        }
    }

    private Host host(Held held, long now) {
        String port = held.url().getPort() < 0
                ? held.url().getScheme()
                : Integer.toString(held.url().getPort());
        String name = (held.url().getHost() + ":" + port).toLowerCase(Locale.ROOT);
        Host known = hosts.get(name);
        if (known != null) {
            return known;
        }
        Host host = new Host(callsPerHost, queuedPerHost, now);
        hosts.put(name, host);
        return host;
    }

    private void startOn(Host host, long now) {
        while (!host.queue.isEmpty() && underWay < MOST_CALLS && host.mayStart(now)) {
            Held held = host.queue.poll();
            if (held.leftMillis(now) < held.ttrMillis() / 2) {
                defer(held, 1);
            } else {
                start(held, host, now);
            }
        }
        if (host.isResting(now)) {
            sendBack(host, now);
        }
        if (!host.queue.isEmpty() && underWay >= MOST_CALLS) {
            starving.add(host);
        }
    }

    private void start(Held held, Host host, long now) {
        CallRequest request;
        try {
            request = CallRequest.of(held.job(), held.url(), held.nowMillis(now) / 1_000);
        } catch (RuntimeException e) {
            log.error("a job cannot be called topic={}", held.job().topic(), e);
            settle(held, Verdict.failed("no call could be made of it", false), Told.NOTHING);
            return;
        }
        underWay++;
        host.started(now);
        // a tenth of the lease is left for settling
        long until = now + held.leftMillis(now) * MILLIS * 9 / 10;
        targets.resolved(held.url())
                .timeout(Math.max(1, (until - now) / MILLIS), TimeUnit.MILLISECONDS)
                .onFailure(error -> notFound(held, host, now, error, new Told(request, null, null)))
                .onSuccess(addresses -> call(held, host, now, until, request, chosen(addresses, held.job())));
    }

    /** Another one at each attempt. */
    private static InetAddress chosen(List<InetAddress> addresses, Delivery job) {
        return addresses.get((job.attempt() - 1) % addresses.size());
    }

    private void notFound(Held held, Host host, long began, Throwable error, Told told) {
        boolean isForbidden = error instanceof Targets.Refused;
        String why = isForbidden ? error.getMessage() : "no address was found for " + told.request.host();
        // in a turn of its own: many may be known to be forbidden at once
        vertx.runOnContext(turn -> ended(held, host, began, Verdict.failed(why, !isForbidden), told));
    }

    private void call(Held held, Host host, long began, long until, CallRequest request, InetAddress address) {
        long left = Math.max(1, (until - System.nanoTime()) / MILLIS);
        client.call(request, address, left).onComplete(result -> {
            if (result.failed()) {
                String error =
                        empty == null ? result.cause().getMessage() : "the server stopped before the answer came";
                ended(held, host, began, Verdict.failed(error, empty == null), new Told(request, address, null));
                return;
            }
            Answer answer = result.result();
            Webhook set = held.job().hook().webhook();
            Success rule = set == null ? null : set.success();
            Verdict verdict = Verdict.of(answer, rule, held.nowMillis(System.nanoTime()));
            ended(held, host, began, verdict, new Told(request, address, answer));
        });
    }

    private void ended(Held held, Host host, long began, Verdict verdict, Told told) {
        long now = System.nanoTime();
        underWay--;
        meters.callback(verdict.outcome().name().toLowerCase(Locale.ROOT), now - began);
        if (verdict.hostFailed()) {
            host.failed(now, now - began);
        } else {
            host.succeeded(now, now - began);
        }
        settle(held, verdict, told);
        startOn(host, now);
        while (underWay < MOST_CALLS && !starving.isEmpty()) {
            Host next = starving.iterator().next();
            starving.remove(next);
            startOn(next, now);
        }
    }

    private void settle(Held held, Verdict verdict, Told told) {
        Delivery job = held.job();
        String by = told.address == null ? "" : told.address.getHostAddress() + ":" + told.request.port();
        String more = verdict.outcome() == Outcome.DONE && !job.hook().kept() ? "" : told(told);
        over(held, store.untilAnswered(() -> settled(job, verdict, by, more).mapEmpty()));
    }

    private Future<?> settled(Delivery job, Verdict verdict, String by, String more) {
        return switch (verdict.outcome()) {
            case DONE ->
                store.ack(job.topic(), job.id(), job.lease(), by, more)
                        .onSuccess(acked -> meters.acked(job.topic(), acked ? 1 : 0));
            case DEAD -> store.kill(job.topic(), job.id(), job.lease(), verdict.error(), by, more);
            case AGAIN ->
                store.nack(job.topic(), job.id(), job.lease(), verdict.waitMillis(), verdict.error(), by, more);
        };
    }

    private static String told(Told told) {
        JobJson.Writer more = JobJson.object();
        if (told.answer != null) {
            Buffer body = told.answer.body();
            String shown = body.slice(0, Math.min(ANSWER_BYTES, body.length())).toString();
            more.object("answer", answer -> answer.number("status", told.answer.status())
                    .text("body", shown));
        }
        if (told.request == null) {
            return "";
        }
        Buffer out = more.text("curl", told.request.curl()).end();
        // in place of the brackets of an object of its own
        return "," + out.slice(1, out.length() - 1);
    }

    /** Without an attempt; if it cannot be done, the lease brings the job back. */
    private void defer(Held held, long millis) {
        Delivery job = held.job();
        over(held, store.untilAnswered(() -> store.defer(job.topic(), job.id(), job.lease(), millis)));
    }

    private void over(Held held, Future<?> settling) {
        settling.onComplete(done -> {
            open--;
            settled.accept(held);
            if (empty != null && open == 0) {
                empty.tryComplete();
            }
        });
    }

    private void sendBack(Host host, long now) {
        for (Held held : host.queue) {
            defer(held, Math.max(1, host.deferral(now, 0)));
        }
        host.queue.clear();
    }

    /** From time to time: nobody waits for a host that has become slow, and one that nobody needs is forgotten. */
    void lookAfter() {
        long now = System.nanoTime();
        // if it is the event loop that was held up, the hosts have not had their chance
        boolean isLate = now - lookedLast > LONGEST_QUEUED_NANOS;
        lookedLast = now;
        for (Host host : List.copyOf(hosts.values())) {
            while (!isLate && !host.queue.isEmpty() && now - host.queue.peek().takenNanos() > LONGEST_QUEUED_NANOS) {
                host.kept(now, LONGEST_QUEUED_NANOS);
                defer(host.queue.poll(), Math.max(1, host.deferral(now, 0)));
            }
            startOn(host, now);
        }
        hosts.values().removeIf(host -> host.isForgotten(now, hosts.size() > MOST_HOSTS ? 0 : FORGET_NANOS));
    }

    /** Begins no call any more and completes when all are settled; those that take too long are cut off. */
    Future<Void> close(long graceMillis) {
        empty = Promise.promise();
        hosts.values().forEach(host -> {
            new ArrayDeque<>(host.queue).forEach(held -> defer(held, 0));
            host.queue.clear();
        });
        if (open == 0) {
            empty.tryComplete();
        }
        long timer = vertx.setTimer(graceMillis, late -> client.close());
        return empty.future().onComplete(done -> vertx.cancelTimer(timer)).eventually(client::close);
    }
}
