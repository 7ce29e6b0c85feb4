package io.delayq.redis;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vertx.core.buffer.Buffer;
import io.vertx.redis.client.impl.types.BulkType;
import io.vertx.redis.client.impl.types.MultiType;
import org.junit.jupiter.api.Test;

class LeaseTermsTest {
    private static final long DUE = 1_798_761_600_123L;

    @Test
    void a_job_of_which_nothing_is_said_was_due_when_it_was_pushed() {
        assertEquals(new LeaseTerms(7, 1, 10, LeaseTerms.AT_PUSH, 99), read(Buffer.buffer()));
    }

    @Test
    void a_job_that_waited_has_its_due_time_in_its_first_run() {
        Buffer run = Buffer.buffer(new byte[] {0, 0, 'n', 0, 0, 0, 0, 0});
        run.appendUnsignedShort((int) (DUE >> 32)).appendUnsignedInt(DUE & 0xffff_ffffL);
        assertEquals(new LeaseTerms(7, 1, 10, DUE, 99), read(run.appendBytes(new byte[14])));
    }

    @Test
    void any_other_job_has_all_of_its_own_and_its_place_where_that_is_another() {
        Buffer all = Buffer.buffer().appendInt(3).appendInt(0);
        all.appendUnsignedShort((int) (DUE >> 32)).appendUnsignedInt(DUE & 0xffff_ffffL);
        all.appendUnsignedShort((int) (DUE + 5 >> 32)).appendUnsignedInt(DUE + 5 & 0xffff_ffffL);
        assertEquals(new LeaseTerms(7, 3, 0, DUE, DUE + 5), read(all));
        Buffer placed = Buffer.buffer().appendUnsignedShort(249).appendBuffer(all);
        assertEquals(new LeaseTerms(249, 3, 0, DUE, DUE + 5), read(placed));
    }

    @Test
    void a_lease_ends_in_three_digits() {
        assertEquals("token000", new LeaseTerms(0, 1, 1, 1, 1).lease("token"));
        assertEquals("token249", new LeaseTerms(249, 1, 1, 1, 1).lease("token"));
    }

    private static LeaseTerms read(Buffer said) {
        MultiType answer = MultiType.create(1, false);
        answer.add(BulkType.create(said, false));
        return LeaseTerms.of(answer, 0, 7, 10, 99);
    }
}
