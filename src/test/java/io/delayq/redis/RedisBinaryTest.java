package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisBinaryTest {
    @Test
    void every_platform_named_has_a_program_in_the_jar() {
        for (String[] platform : new String[][] {
            {"Linux", "amd64"}, {"Linux", "aarch64"}, {"Linux", "i386"}, {"Mac OS X", "x86_64"}, {"Mac OS X", "aarch64"}
        }) {
            String resource = RedisBinary.resource(platform[0], platform[1]);
            assertTrue(RedisBinary.class.getResource("/" + resource) != null, resource);
        }
    }

    @Test
    void a_platform_without_a_program_is_told_of_redis_url() {
        for (String[] platform : new String[][] {{"Windows 11", "amd64"}, {"Linux", "riscv64"}, {"Mac OS X", "x86"}}) {
            EmbeddedRedisException refused =
                    assertThrows(EmbeddedRedisException.class, () -> RedisBinary.resource(platform[0], platform[1]));
            assertTrue(refused.getMessage().contains("redis.url"), refused.getMessage());
        }
    }

    @Test
    void half_a_copy_is_replaced_and_a_whole_one_left(@TempDir Path dir) throws Exception {
        Path program = RedisBinary.unpack(dir);
        long whole = Files.size(program);
        Object key = Files.readAttributes(program, "unix:ino").get("ino");
        RedisBinary.unpack(dir);
        assertEquals(key, Files.readAttributes(program, "unix:ino").get("ino"));

        try (var channel = Files.newByteChannel(program, StandardOpenOption.WRITE)) {
            channel.truncate(whole / 2);
        }
        assertEquals(whole, Files.size(RedisBinary.unpack(dir)));
        assertTrue(Files.isExecutable(program));
    }
}
