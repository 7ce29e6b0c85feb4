import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Pushes jobs in batches over REST, then drains them by long-poll and acks, and prints both rates. Ends with 1 if a job
 * was lost or came twice. Only against a server on this machine.
 *
 * <p>java load-tests/PushDrain.java [--url=http://127.0.0.1:9277] [--jobs=100000] [--batch=500] [--clients=4]
 */
public final class PushDrain {
    private static final int MOST_JOBS = 1_000_000;
    private static final long MOST_MINUTES = 10;
    private static final Pattern JOB = Pattern.compile("\"id\":\"([^\"]+)\",\"lease\":\"([^\"]+)\"");
    private static final Pattern ACCEPTED = Pattern.compile("\"accepted\":(\\d+)");
    private static final Pattern ACKED = Pattern.compile("\"acked\":(\\d+)");

    private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final String topic = "push-drain." + Long.toString(System.nanoTime(), 36);
    private final Map<String, Integer> delivered = new ConcurrentHashMap<>();
    private final String url;
    private final int jobs;
    private final int batch;
    private final int clients;
    /** When the last batch was answered: the wait of those who find nothing more is not part of the work. */
    private volatile long lastAnswer;

    private PushDrain(String url, int jobs, int batch, int clients) {
        this.url = url;
        this.jobs = jobs;
        this.batch = batch;
        this.clients = clients;
    }

    public static void main(String[] args) throws Exception {
        Map<String, String> flags = new ConcurrentHashMap<>(
                Map.of("--url", "http://127.0.0.1:9277", "--jobs", "100000", "--batch", "500", "--clients", "4"));
        for (String arg : args) {
            String[] parts = arg.split("=", 2);
            if (parts.length < 2 || flags.replace(parts[0], parts[1]) == null) {
                fail("unknown flag " + arg + "; expected one of " + flags.keySet() + ", each with =value");
            }
        }
        String url = flags.get("--url");
        if (!InetAddress.getByName(URI.create(url).getHost()).isLoopbackAddress()) {
            fail("--url: expected a loopback address, found " + url);
        }
        new PushDrain(
                        url,
                        number(flags, "--jobs", MOST_JOBS),
                        number(flags, "--batch", 1_000),
                        number(flags, "--clients", 64))
                .run();
    }

    private static int number(Map<String, String> flags, String name, int most) {
        int value = Integer.parseInt(flags.get(name));
        if (value < 1 || value > most) {
            fail(name + ": expected 1 to " + most + ", found " + value);
        }
        return value;
    }

    private static void fail(String why) {
        System.err.println(why);
        System.exit(2);
    }

    private void run() throws Exception {
        System.out.printf("%d jobs, batches of %d, %d clients, topic %s%n", jobs, batch, clients, topic);
        AtomicInteger next = new AtomicInteger();
        AtomicInteger accepted = new AtomicInteger();
        phase("push ", () -> {
            for (int from = next.getAndAdd(batch); from < jobs; from = next.getAndAdd(batch)) {
                accepted.addAndGet(push(from, Math.min(jobs, from + batch)));
                lastAnswer = System.nanoTime();
            }
        });
        AtomicInteger acked = new AtomicInteger();
        phase("drain", () -> {
            while (acked.get() < accepted.get()) {
                int more = takeAndAck();
                if (more == 0) {
                    return;
                }
                acked.addAndGet(more);
                lastAnswer = System.nanoTime();
            }
        });
        long twice = delivered.values().stream().filter(times -> times > 1).count();
        System.out.printf(
                "accepted %d, delivered %d, twice %d, acked %d%n", accepted.get(), delivered.size(), twice, acked.get());
        System.exit(accepted.get() == jobs && acked.get() == jobs && twice == 0 ? 0 : 1);
    }

    private interface Work {
        void run() throws Exception;
    }

    private void phase(String name, Work work) throws Exception {
        long began = System.nanoTime();
        ExecutorService pool = Executors.newFixedThreadPool(clients);
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            all.add(pool.submit(() -> {
                work.run();
                return null;
            }));
        }
        for (Future<?> one : all) {
            one.get(MOST_MINUTES, TimeUnit.MINUTES);
        }
        pool.shutdown();
        double seconds = (lastAnswer - began) / 1e9;
        System.out.printf("%s %8.0f jobs/s (%.2f s)%n", name, jobs / seconds, seconds);
    }

    private int push(int from, int to) throws IOException, InterruptedException {
        StringBuilder body = new StringBuilder("[");
        for (int i = from; i < to; i++) {
            body.append(i == from ? "" : ",")
                    .append("{\"topic\":\"").append(topic).append("\",\"id\":\"j").append(i)
                    .append("\",\"body\":{\"orderId\":").append(i)
                    .append(",\"text\":\"0123456789012345678901234567890123456789012345678901234567890123456789\"}}");
        }
        return first(ACCEPTED, post("/v1/jobs", body.append(']').toString()));
    }

    /** How many were acked; 0 if nothing came for two seconds. */
    private int takeAndAck() throws IOException, InterruptedException {
        String taken = post("/v1/topics/" + topic + "/reserve", "{\"max\":" + batch + ",\"wait\":\"2s\"}");
        StringBuilder acks = new StringBuilder();
        for (Matcher job = JOB.matcher(taken); job.find(); ) {
            delivered.merge(job.group(1), 1, Integer::sum);
            acks.append(acks.length() == 0 ? "" : ",")
                    .append("{\"id\":\"").append(job.group(1))
                    .append("\",\"lease\":\"").append(job.group(2)).append("\"}");
        }
        return acks.length() == 0 ? 0 : first(ACKED, post("/v1/topics/" + topic + "/acks", "{\"jobs\":[" + acks + "]}"));
    }

    private static int first(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            throw new IllegalStateException(text);
        }
        return Integer.parseInt(matcher.group(1));
    }

    private String post(String path, String json) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(Duration.ofSeconds(30))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json))
                .build();
        HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException(answer.statusCode() + " " + answer.body());
        }
        return answer.body();
    }
}
