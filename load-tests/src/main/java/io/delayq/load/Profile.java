package io.delayq.load;

import io.delayq.load.peer.Delayq;
import io.delayq.load.peer.Peer.DrainWork;
import io.delayq.load.peer.Peer.PushWork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;

/**
 * Where the event loops of a server spend their time in A, B and C, as flame graphs made from Java's flight recorder.
 * Taken apart from the figures, since recording costs some.
 */
final class Profile {
    private static final long MILLIS = 12_000;
    private static final String LOOPS = "vert.x-eventloop";
    /** What an event loop does while it has nothing to do. */
    private static final List<String> IDLE =
            List.of("epollWait", "epollWait0", "epollBusyWait", "kevent", "poll", "select");

    private final Delayq delayq;
    private final Path dir;
    private final Progress progress;

    Profile(Delayq delayq, Path dir, Progress progress) {
        this.delayq = delayq;
        this.dir = dir;
        this.progress = progress;
    }

    private interface Work {
        void run(IntConsumer progress) throws Exception;
    }

    List<Path> take() throws Exception {
        Map<String, Work> works = new LinkedHashMap<>();
        works.put("A", bar -> delayq.push(new PushWork(50_000, 64, 1), bar));
        works.put("B", bar -> delayq.push(new PushWork(200_000, 16, 100), bar));
        works.put("C", bar -> delayq.drain(new DrainWork(100_000, 16), bar));
        List<Path> written = new ArrayList<>();
        progress.expect(works.size());
        // else the outer ends of stacks are cut off
        control("JFR.configure", "stackdepth=512");
        for (Map.Entry<String, Work> work : works.entrySet()) {
            IntConsumer bar = progress.step("profile of " + work.getKey(), 100);
            written.add(taken(work.getKey(), work.getValue(), bar));
            progress.stepDone();
        }
        return written;
    }

    private Path taken(String name, Work work, IntConsumer bar) throws Exception {
        Path recording = Files.createTempFile(dir, "profile", ".jfr");
        try {
            control("JFR.start", "name=load", "settings=profile", "jdk.NativeMethodSample#period=10ms");
            long began = System.nanoTime();
            for (long passed = 0; passed < MILLIS; passed = (System.nanoTime() - began) / 1_000_000) {
                bar.accept((int) (100 * passed / MILLIS));
                work.run(done -> {});
                delayq.clear();
            }
            control("JFR.stop", "name=load", "filename=" + recording);
            Flame flame = new Flame("Event loops of the server in " + name);
            read(recording, flame);
            return flame.write(dir.resolve("flame-" + name + ".svg"));
        } finally {
            Files.deleteIfExists(recording);
        }
    }

    private void control(String... command) throws IOException, InterruptedException {
        List<String> whole = new ArrayList<>();
        whole.add(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString());
        whole.add(Long.toString(delayq.processes().get("server")));
        whole.addAll(List.of(command));
        Process process = new ProcessBuilder(whole)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (!process.waitFor(30, TimeUnit.SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException("jcmd " + command[0] + " failed");
        }
    }

    private static void read(Path recording, Flame flame) throws IOException {
        try (RecordingFile file = new RecordingFile(recording)) {
            while (file.hasMoreEvents()) {
                RecordedEvent event = file.readEvent();
                String type = event.getEventType().getName();
                if (type.equals("jdk.ExecutionSample") || type.equals("jdk.NativeMethodSample")) {
                    add(event, flame);
                }
            }
        }
    }

    private static void add(RecordedEvent event, Flame flame) {
        RecordedThread thread = event.getThread("sampledThread");
        if (thread == null || thread.getJavaName() == null || event.getStackTrace() == null) {
            return;
        }
        List<RecordedFrame> frames = event.getStackTrace().getFrames();
        if (!thread.getJavaName().startsWith(LOOPS)
                || IDLE.contains(frames.get(0).getMethod().getName())) {
            return;
        }
        List<String> stack = new ArrayList<>();
        for (int i = frames.size() - 1; i >= 0; i--) {
            stack.add(name(frames.get(i)));
        }
        flame.add(stack);
    }

    private static String name(RecordedFrame frame) {
        String type = frame.getMethod().getType().getName().replaceAll("\\$\\$Lambda.*", ".lambda");
        return type.substring(type.lastIndexOf('.') + 1) + "."
                + frame.getMethod().getName().replaceAll("lambda\\$(\\w+)\\$\\d+", "$1");
    }
}
