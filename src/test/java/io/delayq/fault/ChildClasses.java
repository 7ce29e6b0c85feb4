package io.delayq.fault;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * The class path of child processes, made so that they start fast: directories as one jar, and room for an archive of the
 * classes that a server loads (class data sharing, which wants jars). Made anew when a file has changed.
 */
final class ChildClasses {
    private static final Path DIR = Path.of("target/child").toAbsolutePath();

    /** What to give to {@code -cp}. */
    static final String PATH = path();

    /** Where the archive is, or is to be. */
    static final Path ARCHIVE = archive();

    private ChildClasses() {}

    private static String path() {
        List<String> jars = new ArrayList<>();
        List<Path> directories = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (Files.isDirectory(Path.of(entry))) {
                directories.add(Path.of(entry));
            } else {
                jars.add(entry);
            }
        }
        try {
            jars.add(0, jar(directories).toString());
            return String.join(File.pathSeparator, jars);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path jar(List<Path> directories) throws IOException {
        Path jar = Files.createDirectories(DIR).resolve("classes.jar");
        if (Files.exists(jar) && newest(directories) < changed(jar)) {
            return jar;
        }
        Set<String> names = new HashSet<>();
        try (OutputStream out = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.setLevel(1);
            for (Path directory : directories) {
                for (Path file : files(directory)) {
                    String name = directory.relativize(file).toString().replace(File.separatorChar, '/');
                    if (names.add(name)) {
                        zip.putNextEntry(new ZipEntry(name));
                        Files.copy(file, zip);
                    }
                }
            }
        }
        return jar;
    }

    private static long newest(List<Path> directories) throws IOException {
        long newest = 0;
        for (Path directory : directories) {
            for (Path file : files(directory)) {
                newest = Math.max(newest, changed(file));
            }
        }
        return newest;
    }

    private static long changed(Path file) throws IOException {
        return Files.getLastModifiedTime(file).toMillis();
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }

    /** One that was made of other classes is not used: the JVM would say so in every log. */
    private static Path archive() {
        try {
            String of = PATH + changed(DIR.resolve("classes.jar"));
            Path archive = DIR.resolve(Integer.toHexString(of.hashCode()) + ".jsa");
            for (Path old : files(DIR)) {
                if (old.toString().endsWith(".jsa") && !old.equals(archive)) {
                    Files.delete(old);
                }
            }
            return archive;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
