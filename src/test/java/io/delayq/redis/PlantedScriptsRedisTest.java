package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.delayq.list.DelayerBridgeTest;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A fault in each script, with which a check turns red: what no check sees is not tested. */
class PlantedScriptsRedisTest {
    private static final int SEEDS = 12;
    private static final int STEPS = 200;

    /** @param because what the check then says */
    record Fault(Script script, String right, String wrong, String because, PlantedScripts.Work check) {
        @Override
        public String toString() {
            return script.word() + ": " + because;
        }
    }

    /** A short run that is known to turn red; after a change of the model another one may be. */
    private static void model(long known) {
        StoreModelRedisTest.check(known, 2, STEPS);
        for (long seed = 1; seed <= SEEDS; seed++) {
            StoreModelRedisTest.check(seed, 2, STEPS);
        }
    }

    private static Fault fault(Script script, String right, String wrong, String because, long seed) {
        return new Fault(script, right, wrong, because, () -> model(seed));
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

    private static Fault life(
            Script script, String right, String wrong, String because, Consumer<JobLifeRedisTest> check) {
        return new Fault(script, right, wrong, because, () -> {
            JobLifeRedisTest test = new JobLifeRedisTest();
            try {
                check.accept(test);
            } finally {
                test.close();
            }
        });
    }

    private static Fault ids(
            Script script, String right, String wrong, String because, Consumer<IdStoreRedisTest> check) {
        return new Fault(script, right, wrong, because, () -> {
            IdStoreRedisTest test = new IdStoreRedisTest();
            try {
                check.accept(test);
            } finally {
                test.close();
            }
        });
    }

    private static Fault callback(
            Script script, String right, String wrong, String because, Consumer<CallbackRedisTest> check) {
        return new Fault(script, right, wrong, because, () -> {
            CallbackRedisTest test = new CallbackRedisTest();
            try {
                check.accept(test);
            } finally {
                test.close();
            }
        });
    }

    private static Fault rebucket(
            Script script, String right, String wrong, String because, Consumer<RebucketRedisTest> check) {
        return new Fault(script, right, wrong, because, () -> {
            RebucketRedisTest test = new RebucketRedisTest();
            try {
                check.accept(test);
            } finally {
                test.close();
            }
        });
    }

    private static Fault enlist(
            Script script, String right, String wrong, String because, Consumer<EnlistRedisTest> check) {
        return new Fault(script, right, wrong, because, () -> {
            EnlistRedisTest test = new EnlistRedisTest();
            test.open();
            try {
                check.accept(test);
            } finally {
                test.close();
                EnlistRedisTest.closeRedis();
            }
        });
    }

    private static Fault admit(
            Script script, String right, String wrong, String because, Consumer<AdmitRedisTest> check) {
        return new Fault(script, right, wrong, because, () -> {
            AdmitRedisTest test = new AdmitRedisTest();
            test.open();
            try {
                check.accept(test);
            } finally {
                test.close();
                AdmitRedisTest.closeRedis();
            }
        });
    }

    private static void bridged() {
        DelayerBridgeTest test = new DelayerBridgeTest();
        test.start();
        try {
            test.a_removed_job_and_one_whose_hash_is_gone_do_not_come();
        } finally {
            test.stop();
            DelayerBridgeTest.closeRedis();
        }
    }

    private static void appended() {
        ListClusterRedisTest test = new ListClusterRedisTest();
        try {
            test.jobs_go_to_a_list_on_another_node_in_their_order();
        } finally {
            test.close();
            ListClusterRedisTest.closeCluster();
        }
    }

    private static void turns() {
        TurnRedisTest test = new TurnRedisTest();
        try {
            test.a_turn_is_one_process_at_a_time();
        } finally {
            test.close();
        }
    }

    private static void silence() {
        ServerListRedisTest test = new ServerListRedisTest();
        try {
            test.one_that_was_silent_for_too_long_by_the_clock_of_redis_is_swept();
        } finally {
            test.close();
        }
    }

    private static void ends(Consumer<JobEndsRedisTest> check) {
        JobEndsRedisTest test = new JobEndsRedisTest();
        try {
            check.accept(test);
        } finally {
            test.close();
        }
    }

    private static void history() {
        HistoryRedisTest test = new HistoryRedisTest();
        try {
            test.each_step_has_one_text_whoever_brings_it();
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
                fault(Script.PUSH, "if group_name then call('SADD'", "if false then call('SADD'", "group", 1),
                fault(Script.PUT, "forget(k, {id}, {old})", "", "(put", 2),
                fault(
                        Script.DUE,
                        "local state, due_time = state_of(k, id, lane)\n      detach(k, id, lane, state)",
                        "local due_time",
                        "and due)",
                        1),
                life(
                        Script.RESERVE,
                        "if expires > 0 and expires <= now and guarded[id] then",
                        "if false then",
                        "a_ready_job_whose_ttl",
                        JobLifeRedisTest::a_ready_job_whose_ttl_is_over_is_not_delivered_even_before_the_scanner_comes),
                life(
                        Script.ACK,
                        "if group then call('SREM', group, id) end\n  run.lease",
                        "run.lease",
                        "recount",
                        JobLifeRedisTest::a_done_job_is_kept_as_long_as_its_topic_says_and_its_id_is_free),
                enlist(
                        Script.ENLIST,
                        "call('ZREM', k.expire, id)\n  run.error",
                        "run.error",
                        "recount",
                        EnlistRedisTest::what_the_topic_keeps_is_done_as_after_an_ack),
                enlist(
                        Script.ENLIST,
                        "if known then return known end",
                        "",
                        "the_same_call_again",
                        EnlistRedisTest::the_same_call_again_moves_nothing_and_answers_the_same),
                enlist(
                        Script.ENLIST,
                        "expires > 0 and expires <= now then\n    local dead",
                        "false then\n    local dead",
                        "a_job_whose_ttl_is_over",
                        EnlistRedisTest::a_job_whose_ttl_is_over_does_not_go_to_the_list),
                enlist(
                        Script.RESERVE,
                        "or (set.redisList ~= nil) ~= for_lists) then",
                        ") then",
                        "nobody_else_gets",
                        EnlistRedisTest::nobody_else_gets_jobs_that_go_to_a_list),
                new Fault(
                        Script.APPEND,
                        "call('RPUSH', KEYS[1], ARGV[i])",
                        "call('LPUSH', KEYS[1], ARGV[i])",
                        "in_their_order",
                        PlantedScriptsRedisTest::appended),
                admit(
                        Script.PEEK,
                        "call('LREM', list, 1, text)",
                        "call('LPOP', list)",
                        "too_long",
                        AdmitRedisTest::a_look_moves_what_is_too_long),
                admit(
                        Script.ADMIT,
                        "there and admit",
                        "admit",
                        "entries_that_are_gone",
                        AdmitRedisTest::entries_that_are_gone_make_no_job_and_equal_ones_one_each),
                admit(
                        Script.ADMIT,
                        "if is_owned(call('HGET', k.jobs, id)) then call('HDEL', ids_key, id) end",
                        "",
                        "a_done_job_of_a_front_end",
                        AdmitRedisTest::a_done_job_of_a_front_end_gives_up_its_id),
                admit(
                        Script.REJECT,
                        "if call('LPOS', list, ARGV[at], 'MAXLEN', ARGV[6]) then",
                        "if true then",
                        "bad_ones_move_once",
                        AdmitRedisTest::bad_ones_move_once),
                new Fault(
                        Script.BRIDGE,
                        "if not queue then",
                        "if false then",
                        "whose_hash_is_gone",
                        PlantedScriptsRedisTest::bridged),
                fault(Script.NACK, "math.min(run.losses + 1, 255)", "1", "(lost", 6),
                fault(Script.EXTEND, "ttr = rules_of(run, settings_of(k.topic))", "ttr = 60000", "(extend", 1),
                fault(
                        Script.RELEASE,
                        "if run.expires > 0 then expire_at(k, id, run.expires) end",
                        "",
                        "reserved of []",
                        2),
                callback(
                        Script.RELEASE,
                        "run.due = now + wait",
                        "run.due = now",
                        "a_job_that_is_put_off",
                        CallbackRedisTest::a_job_that_is_put_off_comes_again_after_a_while_with_all_its_attempts),
                callback(
                        Script.RESERVE,
                        "not called and (set.callback or",
                        "not called and (false or",
                        "a_topics_callback",
                        CallbackRedisTest::a_topics_callback_is_for_all_of_its_jobs),
                callback(
                        Script.NACK,
                        "if wait and wait < 0 or most",
                        "if most",
                        "a_job_that_is_not_wanted",
                        CallbackRedisTest::a_job_that_is_not_wanted_any_more_is_dead_with_attempts_left),
                fault(Script.CANCEL, "lay_ghosts()\ntell()", "tell()", "keys left after a full drain", 1),
                fault(
                        Script.RESCHEDULE,
                        "if state == 'dead' then run.attempts, run.losses = 0, 0 end",
                        "",
                        "(reschedule",
                        10),
                fault(Script.REQUEUE, "run.attempts, run.losses, run.due = 0, 0, now", "run.due = now", "(requeue", 18),
                life(
                        Script.PURGE,
                        "if call('SREM', k.ghosts, LANE_BYTE[lanes[i]] .. id) == 0 then",
                        "if true then",
                        "recount",
                        JobLifeRedisTest::a_purge_of_one_state_takes_every_job_of_it_and_no_other),
                fault(Script.GROUP, "{delayed = true, ready = true, reserved = true}", "nil", "(cancel group", 44),
                fault(
                        Script.CONFIGURE,
                        "if what ~= 'set' then paused = what == 'pause' and 1 or 0 end",
                        "paused = what == 'pause' and 1 or 0",
                        "(configure",
                        7),
                fault(Script.DROP, "call('ZREM', KEYS[3], k.topic)", "", "(delete", 1),
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
                        Script.BEAT,
                        "math.abs(now - heard) > silence",
                        "now - heard > silence",
                        "one_that_was_silent",
                        PlantedScriptsRedisTest::silence),
                new Fault(
                        Script.DUE,
                        "of[state] + 1",
                        "of[state]",
                        "leases_that_end",
                        () -> ends(JobEndsRedisTest::leases_that_end_count_too)),
                new Fault(
                        Script.RESERVE,
                        "over[state] + 1",
                        "over[state]",
                        "jobs_whose_ttl_ends",
                        () -> ends(
                                JobEndsRedisTest
                                        ::jobs_whose_ttl_ends_count_as_expired_also_if_reserve_finds_them_first)),
                new Fault(
                        Script.HISTORY,
                        "math.abs(now - at(last)) < step / 2",
                        "false",
                        "each_step_has_one",
                        PlantedScriptsRedisTest::history),
                new Fault(
                        Script.LIST,
                        "math.max(number - head, 0)",
                        "number",
                        "was seen",
                        PlantedScriptsRedisTest::paging),
                fault(Script.FORECAST, "math.min(past, window)", "past", "forecast", 6),
                fault(Script.GET, "call('HGET', k.log, id) or ''", "''", "log of", 1),
                fault(Script.HELD, "holds(packed, ARGV[at + 1])", "packed", "is held", 1),
                fault(Script.LOOK, "alarm or -1", "-1", "is too late for", 1),
                settings(
                        Script.NAMES,
                        "call('HGET', KEYS[2], topic) or ''",
                        "''",
                        "a_bucket_that_missed",
                        TopicSettingsRedisTest::a_bucket_that_missed_changes_is_mended),
                fault(Script.COUNTS, "entries - ghosts", "entries", "counts", 1),
                rebucket(
                        Script.ASIDE,
                        "if version then call('HSET', KEYS[2], '#rev', version) end",
                        "",
                        "version after",
                        test -> test.everything_is_there_after(4, 16)),
                rebucket(
                        Script.ADOPT,
                        "call('ZADD', KEYS[3], 0, ARGV[at])",
                        "",
                        "topics after",
                        test -> test.everything_is_there_after(4, 16)),
                rebucket(
                        Script.PICK,
                        "not ghost and records[i] or ''",
                        "records[i] or ''",
                        "counts after",
                        test -> test.everything_is_there_after(4, 16)),
                rebucket(
                        Script.ARRIVE,
                        "if call('HEXISTS', k.jobs, id) == 0 then",
                        "if true then",
                        "recount",
                        test -> test.killed_anywhere_it_goes_on(4, 16)),
                rebucket(
                        Script.LEAVE,
                        "for i = 1, #groups, 2 do call('SREM', groups[i], groups[i + 1]) end",
                        "",
                        "recount",
                        test -> test.everything_is_there_after(4, 16)),
                rebucket(
                        Script.LEAVE,
                        "if #owned > 0 then call('HDEL', former(ids_key), unpack(owned)) end",
                        "",
                        "recount",
                        test -> test.everything_is_there_after(4, 16)),
                rebucket(
                        Script.ARRIVE,
                        "if #owned > 0 then call('HSET', ids_key, unpack(owned)) end",
                        "",
                        "recount",
                        test -> test.everything_is_there_after(4, 16)),
                ids(
                        Script.OWN,
                        "for _, job in ipairs(old) do cancel(job.k, {id}, {job.record}) end",
                        "",
                        "recount",
                        IdStoreRedisTest::the_same_id_to_two_topics_in_one_call_leaves_one_job),
                ids(
                        Script.FIND,
                        "found and {topic, found}",
                        "found and {'b', found}",
                        "a_job_is_found_by_its_id_alone",
                        IdStoreRedisTest::a_job_is_found_by_its_id_alone_with_what_was_noted),
                ids(
                        Script.FINISH,
                        "if held == 1 and kept > 0 then",
                        "if false then",
                        "a_finished_job_is_kept",
                        IdStoreRedisTest::a_finished_job_is_kept_if_its_topic_keeps_such),
                ids(
                        Script.ACK,
                        "if is_owned(record) then call('HDEL', ids_key, ids[i]) end",
                        "",
                        "recount",
                        IdStoreRedisTest::it_leaves_the_index_when_it_is_acked),
                ids(
                        Script.RESERVE,
                        "(flags % 64 >= 32 or flags >= 128) and 1 or 0",
                        "flags % 64 >= 32 and 1 or 0",
                        "recount",
                        IdStoreRedisTest::it_leaves_the_index_when_it_is_acked),
                ids(
                        Script.PUSH,
                        "if is_owned(record) then call('HDEL', ids_key, id) end",
                        "",
                        "recount",
                        IdStoreRedisTest::it_leaves_the_index_when_a_push_takes_the_id_of_one_that_is_done));
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
