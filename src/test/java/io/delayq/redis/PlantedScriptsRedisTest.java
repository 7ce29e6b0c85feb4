package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A fault in each script, with which a check turns red: what no check sees is not tested. */
class PlantedScriptsRedisTest {
    private static final int SEEDS = 8;
    private static final int STEPS = 150;

    /** @param because what the check then says */
    record Fault(Script script, String right, String wrong, String because, PlantedScripts.Work check) {
        @Override
        public String toString() {
            return script.word() + ": " + because;
        }
    }

    /** Short runs, which stop at the first that is red. */
    private static void model() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            StoreModelRedisTest.check(seed, 2, STEPS);
        }
    }

    private static Fault fault(Script script, String right, String wrong, String because) {
        return new Fault(script, right, wrong, because, PlantedScriptsRedisTest::model);
    }

    private static Fault settings(
            Script script, String right, String wrong, String because, Consumer<TopicSettingsRedisTest> check) {
        return new Fault(script, right, wrong, because, () -> {
            TopicSettingsRedisTest test = new TopicSettingsRedisTest();
            try {
                check.accept(test);
            } finally {
                test.close();
            }
        });
    }

    private static void turns() {
        TurnRedisTest test = new TurnRedisTest();
        try {
            test.a_turn_is_one_process_at_a_time();
        } finally {
            test.close();
        }
    }

    private static void paging() {
        JobListRedisTest test = new JobListRedisTest();
        try {
            test.ready_jobs_come_once_while_others_are_reserved_released_cancelled_and_pushed();
        } finally {
            test.close();
        }
    }

    static Stream<Fault> faults() {
        return Stream.of(
                fault(Script.PUSH, "if group_name then call('SADD'", "if false then call('SADD'", "group"),
                fault(Script.PUT, "forget(k, {id}, {old})", "", "log of"),
                fault(Script.DUE, "local state, due_time = state_of(k, id, lane)\n    detach(k, id, lane, state)", "local due_time", "counts"),
                fault(Script.RESERVE, "if expires > 0 and expires <= now then", "if false then", "reserved of"),
                fault(Script.ACK, "if group then call('SREM', group, id) end\n  run.lease", "run.lease", "recount"),
                fault(Script.NACK, "math.min(run.losses + 1, 255)", "1", "lost"),
                fault(Script.EXTEND, "ttr = rules_of(run, settings_of(k.topic))", "ttr = 60000", "extend"),
                fault(Script.RELEASE, "if run.expires > 0 then expire_at(k, id, run.expires) end", "", "expire"),
                fault(Script.CANCEL, "lay_ghosts()\ntell()", "tell()", "keys left after a full drain"),
                fault(
                        Script.RESCHEDULE,
                        "if state == 'dead' then run.attempts, run.losses = 0, 0 end",
                        "",
                        "attempts of"),
                fault(Script.REQUEUE, "parts_of(records[i]) or false", "false", "requeue"),
                fault(
                        Script.PURGE,
                        "if call('SREM', k.ghosts, LANE_BYTE[lane] .. id) == 0 then",
                        "if true then",
                        "purge"),
                fault(Script.GROUP, "{delayed = true, ready = true, reserved = true}", "nil", "cancel group"),
                fault(Script.CONFIGURE, "if what ~= 'set' then paused = what == 'pause' and 1 or 0 end", "paused = what == 'pause' and 1 or 0", "counts"),
                fault(Script.DROP, "call('ZREM', KEYS[3], k.topic)", "", "topics"),
                new Fault(
                        Script.TURN,
                        "call('SET', k.turn, ARGV[5], 'PX', tonumber(ARGV[7]))",
                        "",
                        "a_turn_is_one_process",
                        PlantedScriptsRedisTest::turns),
                settings(
                        Script.MEND,
                        "if not right[topic] and version > 0 and version <= number then",
                        "if false then",
                        "a_deleted_topic",
                        TopicSettingsRedisTest::a_deleted_topic_does_not_come_back_with_a_change_that_was_on_its_way),
                new Fault(
                        Script.LIST,
                        "math.max(number - head, 0)",
                        "number",
                        "was seen",
                        PlantedScriptsRedisTest::paging),
                fault(Script.FORECAST, "math.min(begin + step, window)", "begin + step", "forecast"),
                fault(Script.GET, "call('HGET', k.log, id) or ''", "''", "log of"),
                fault(Script.HELD, ".lease == ARGV[at + 1]", ".lease ~= ''", "is held"),
                fault(Script.LOOK, "alarm or -1", "-1", "is too late for"),
                settings(
                        Script.NAMES,
                        "call('HGET', KEYS[2], topic) or ''",
                        "''",
                        "a_bucket_that_missed",
                        TopicSettingsRedisTest::a_bucket_that_missed_changes_is_mended),
                fault(Script.COUNTS, "entries - ghosts", "entries", "counts"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void is_noticed(Fault fault) {
        AssertionError error = assertThrows(
                AssertionError.class,
                () -> PlantedScripts.during(fault.script, fault.right, fault.wrong, fault.check),
                "still green");
        StringBuilder told = new StringBuilder();
        for (Throwable cause = error; cause != null; cause = cause.getCause()) {
            told.append(cause).append('\n');
            Arrays.stream(cause.getStackTrace())
                    .filter(at -> at.getClassName().startsWith("io.delayq."))
                    .forEach(at -> told.append(at.getMethodName()).append('\n'));
        }
        assertTrue(told.toString().contains(fault.because), () -> "red, but not because of it: " + told);
    }

    @Test
    void there_is_a_fault_for_every_script() {
        EnumSet<Script> planted = EnumSet.noneOf(Script.class);
        faults().forEach(fault -> planted.add(fault.script));
        assertEquals(EnumSet.allOf(Script.class), planted);
    }
}
