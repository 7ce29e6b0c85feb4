package io.delayq.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.opentest4j.TestAbortedException;

/** Goes through a document from top to bottom and does all it says. */
final class Reader implements AutoCloseable {
    /** Runs until it is stopped. */
    private static final Pattern STAYS = Pattern.compile("(\\w+=\\S+ +)*bin/delayq serve\\b.*|node \\S*/serve\\.mjs");
    /** In a sentence, not in a block. */
    private static final Pattern IN_TEXT = Pattern.compile("`(bin/delayq [^`\\n]+)`");

    private final Path document;
    private final Machine machine;
    private final Terminal terminal;
    private final Likeness likeness = new Likeness();

    private Reader(Path document, Path home) throws IOException {
        this.document = document;
        this.machine = new Machine(home.toRealPath());
        boolean clones = Files.readString(document).contains("\ngit clone ");
        if (!clones) {
            machine.bringUpToDate();
        }
        this.terminal = new Terminal(machine.home, clones ? machine.home : machine.clone, machine.env());
    }

    static void read(Path document, Path home) throws IOException {
        String markdown = Files.readString(document);
        List<Fence> fences = Fence.all(document.toString(), markdown);
        try (Reader reader = new Reader(document, home)) {
            for (Fence fence : fences) {
                switch (fence.language()) {
                    case "sh" -> reader.test(fence, () -> reader.doAll(fence));
                    case "js" -> reader.test(fence, () -> reader.runJavaScript(fence));
                    default -> {} // Java: see ExamplesTest
                }
            }
            IN_TEXT.matcher(markdown)
                    .results()
                    .map(found -> found.group(1))
                    .distinct()
                    .filter(command ->
                            fences.stream().noneMatch(fence -> fence.text().contains(command)))
                    .forEach(command ->
                            reader.test(new Fence(0, "sh", command + "\n", null), () -> reader.terminal.run(command)));
        }
    }

    /** Says which block it was if it fails, and goes on if it cannot be done here. */
    private void test(Fence fence, Runnable work) {
        String name = document + ":" + fence.line() + " "
                + fence.text().lines().findFirst().orElse("");
        try {
            work.run();
        } catch (TestAbortedException e) {
            Skips.tell(name, e);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(name + "\n" + e.getMessage(), e);
        }
    }

    /** As in a terminal: what runs on is stopped if another command is to follow, and else left running. */
    private void doAll(Fence fence) {
        needToolsOf(fence.text());
        String shown = fence.output() == null ? null : machine.local(fence.output());
        StringBuilder printed = new StringBuilder();
        StringBuilder block = new StringBuilder();
        Terminal.Running running = null;
        for (String line : fence.text().lines().toList()) {
            if (running != null) {
                running.stop();
                running = null;
            }
            if (line.startsWith("git clone ")) {
                cloneHere(line);
            } else if (STAYS.matcher(line).matches()) {
                printed.append(run(block));
                running = start(line);
                String before = printed.toString();
                printed.append(running.printed(text ->
                        shown == null ? text.contains(" listening on ") : likeness.alike(shown, before + text)));
            } else {
                block.append(line).append('\n');
            }
        }
        printed.append(run(block));
        if (shown != null) {
            assertEquals(Likeness.fixed(shown), Likeness.fixed(printed.toString()));
            likeness.learn(shown, printed.toString());
        }
    }

    private String run(StringBuilder block) {
        String commands = likeness.translate(machine.local(block.toString()));
        block.setLength(0);
        return commands.isBlank() ? "" : terminal.run(commands);
    }

    private Terminal.Running start(String line) {
        String command = machine.local(line);
        // the one setting that the command itself leaves at its default
        String port = command.equals("bin/delayq serve") ? "DELAYQ_HTTP_PORT=" + machine.port + " " : "";
        return terminal.open(port + command.replaceFirst("^node ", "PORT=" + machine.local("8080") + " exec node "));
    }

    /** What git prints about its progress the document leaves out. */
    private void cloneHere(String line) {
        try {
            if (Files.exists(Path.of(".git"))) {
                Machine.needTool("git");
                terminal.run(machine.local(line.replace("<this repository>", "'<this repository>'")));
                assertTrue(Files.isExecutable(machine.clone.resolve("bin/delayq")), "the clone has bin/delayq");
            } else {
                System.err.println("skipped: " + line + ": this is no repository, so a copy is used");
            }
            machine.bringUpToDate();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A consumer of the topic order: it is given a job, says so, and acks it. */
    private void runJavaScript(Fence fence) {
        Machine.needCurl();
        String node = Machine.needNode();
        try {
            Path script = Files.writeString(machine.clone.resolve("block.mjs"), machine.local(fence.text()));
            Terminal.Running consumer = terminal.open("exec " + node + " " + script);
            String job = "line" + fence.line();
            String jobs = "http://127.0.0.1:" + machine.port + "/v1/topics/order/jobs";
            terminal.run("curl --json '{\"id\":\"" + job + "\",\"body\":{\"orderId\":1}}' " + jobs);
            consumer.printed(text -> text.contains("due " + job + " { orderId: 1 }"));
            terminal.run("until [ \"$(curl --no-fail -o /dev/null -w '%{http_code}' " + jobs + "/" + job
                    + ")\" = 404 ]; do :; done");
            consumer.stop();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void needToolsOf(String commands) {
        List<String> programs =
                commands.lines().map(line -> line.split(" ")[0]).distinct().toList();
        boolean scripts = programs.stream().anyMatch(program -> program.endsWith(".sh"));
        if (scripts || programs.contains("curl")) {
            Machine.needCurl();
        }
        if (scripts) {
            Machine.needTool("jq");
        }
        if (programs.contains("node")) {
            Machine.needTool("node");
        }
    }

    @Override
    public void close() {
        try {
            terminal.close();
        } finally {
            machine.close();
        }
    }
}
