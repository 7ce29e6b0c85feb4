import io.delayq.client.DelayqClient;
import io.delayq.client.DelayqOptions;
import io.delayq.client.HandlerOptions;
import io.delayq.client.Job;
import io.delayq.client.PushOptions;
import io.delayq.job.Backoff;
import io.delayq.job.JobState;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Optional;

/**
 * Sends mails through a server that is not always there. What fails is tried again after a second, then after two; what
 * fails a third time is dead, and stays to be looked at.
 *
 * <p>DELAYQ_URL: the server. BACKOFF_MILLIS: the first wait.
 */
public class Worker {
    record Mail(String to, String text) {}

    public static void main(String[] args) {
        Vertx vertx = Vertx.vertx();
        String url = Optional.ofNullable(System.getenv("DELAYQ_URL")).orElse("http://127.0.0.1:9277");
        long wait = Long.parseLong(Optional.ofNullable(System.getenv("BACKOFF_MILLIS")).orElse("1000"));
        DelayqClient client = DelayqClient.create(vertx, new DelayqOptions().url(url));
        client.handle("mail", new HandlerOptions().concurrency(20), Worker::send);

        PushOptions patient = new PushOptions().maxAttempts(3).backoff(new Backoff.Steps(List.of(wait, 2 * wait)));
        client.put("mail", "welcome", new Mail("ada", "Your order is on its way"), patient)
                .compose(put -> ended(vertx, client, "welcome"))
                .compose(done -> client.put("mail", "lost", new Mail("nobody", "Hello?"), patient))
                .compose(put -> ended(vertx, client, "lost"))
                .onFailure(Throwable::printStackTrace)
                .eventually(client::close)
                .eventually(vertx::close);
    }

    /** A future that succeeds acks the job; one that fails, or an exception, nacks it with the message as the reason. */
    static Future<?> send(Job job) {
        Mail mail = job.body(Mail.class);
        System.out.println(job.id() + ": attempt " + job.attempt() + " of " + job.maxAttempts());
        if (mail.to().equals("nobody")) {
            return Future.failedFuture("no such mailbox");
        }
        if (job.attempt() < 3) {
            return Future.failedFuture("the mail server is busy");
        }
        System.out.println(job.id() + ": sent to " + mail.to());
        return Future.succeededFuture();
    }

    /** Asks until the job is gone, which is done, or dead. A worker of yours would not: it just keeps on. */
    static Future<?> ended(Vertx vertx, DelayqClient client, String id) {
        return client.get("mail", id).compose(found -> {
            if (found.isEmpty()) {
                System.out.println(id + " is done");
                return Future.succeededFuture();
            }
            if (found.get().state() == JobState.DEAD) {
                System.out.println(id + " is dead: " + found.get().lastError());
                return Future.succeededFuture();
            }
            return vertx.timer(100).compose(waited -> ended(vertx, client, id));
        });
    }
}
