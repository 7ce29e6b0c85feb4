package io.delayq.cli;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One request, one answer, on the caller's thread. Not the Java client: that repeats while the server is away, and a person
 * at a terminal wants to hear at once that it is; and what it does not need starts the program sooner.
 */
final class Remote {
    private static final Duration CONNECT = Duration.ofSeconds(3);
    private static final Duration ANSWER = Duration.ofSeconds(15);
    private static final int MOST_OF_A_PROBLEM = 64 << 10;
    private static final String START = "start one with 'delayq serve', or name another with --url or DELAYQ_URL";

    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .build();
    private final String url;
    private final String token;

    record Answer(int status, String text) {
        JsonNode json() {
            return Texts.json(text);
        }
    }

    Remote(String url, String token) {
        this.url = url;
        this.token = token;
    }

    String url() {
        return url;
    }

    static String job(String topic, String id) {
        return topic(topic) + "/jobs/" + encode(id);
    }

    static String topic(String topic) {
        return "/v1/topics/" + encode(topic);
    }

    static String encode(String part) {
        return URLEncoder.encode(part, StandardCharsets.UTF_8).replace("+", "%20");
    }

    Answer get(String path) {
        return call("GET", path, null, Duration.ZERO);
    }

    Answer call(String method, String path, JsonNode body) {
        return call(method, path, body, Duration.ZERO);
    }

    /** @param wait how long the server may wait before it answers */
    Answer call(String method, String path, JsonNode body, Duration wait) {
        Answer answer = ask(method, path, body, wait);
        if (answer.status >= 300) {
            throw Failure.of(refusal(answer));
        }
        return answer;
    }

    /** Refusals are answers; no answer is a failure. */
    Answer ask(String method, String path, JsonNode body, Duration wait) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(ANSWER.plus(wait))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body.toString()));
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        try {
            HttpResponse<String> answer =
                    http.send(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
            return new Answer(answer.statusCode(), answer.body());
        } catch (IOException e) {
            throw Failure.of(away(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failure.of("interrupted");
        }
    }

    /** The answer as it comes; reading it fails if it ends early. */
    InputStream stream(String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url + path)).timeout(ANSWER);
        if (token != null) {
            request.header("Authorization", "Bearer " + token);
        }
        try {
            HttpResponse<InputStream> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            if (answer.statusCode() == 200) {
                return answer.body();
            }
            try (InputStream in = answer.body()) {
                String text = new String(in.readNBytes(MOST_OF_A_PROBLEM), StandardCharsets.UTF_8);
                throw Failure.of(refusal(new Answer(answer.statusCode(), text)));
            }
        } catch (IOException e) {
            throw Failure.of(away(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Failure.of("interrupted");
        }
    }

    String nobody() {
        return "no server at " + url + "; " + START;
    }

    private String away(IOException e) {
        if (e instanceof ConnectException || e instanceof java.net.http.HttpConnectTimeoutException) {
            return nobody();
        }
        if (e instanceof HttpTimeoutException) {
            return "the server at " + url + " did not answer in time; try again, or look at its log";
        }
        return "no whole answer from " + url + " (" + e.getMessage() + "); is it a delayq server? If not, " + START;
    }

    String refusal(Answer answer) {
        JsonNode problem = answer.json();
        if (!problem.path("type").asText("").startsWith("/problems/")) {
            return url + " answered " + answer.status + " and seems not to be a delayq server; look at --url";
        }
        List<String> faults = new ArrayList<>();
        for (JsonNode fault : problem.path("errors")) {
            String at = fault.path("pointer").asText("");
            faults.add((at.isEmpty() ? "" : at.substring(1).replace('/', '.') + ": ")
                    + fault.path("detail").asText());
        }
        String said = faults.isEmpty() ? problem.path("detail").asText("refused") : String.join("; ", faults);
        return refused(answer.status, said).getMessage();
    }

    /** With what to do about it. */
    Failure refused(int status, String said) {
        return Failure.of(
                status == 401 && token == null
                        ? "the server at " + url + " asks for a token; give one with --token or DELAYQ_TOKEN"
                        : said + hint(status));
    }

    private static String hint(int status) {
        return switch (status) {
            case 503 -> "; try again, and look at 'delayq doctor' if it stays so";
            default -> "";
        };
    }
}
