// sequences_test.c - holes in (epoch, seq) are seen, by scene.
#include "tools/cli/sequences.h"

#include <criterion/criterion.h>

#include "proto/base/owned.h"

// Notes one event of a feed that tells its epoch and coalesces nothing.
static enum step
note(sequences_t *self, const char *scene, uint64_t epoch, uint64_t seq, uint64_t *ret_missing)
{
    const struct place place = {scene, epoch, seq - 1, seq};
    return sequences_note(self, &place, ret_missing);
}

static void
assert_totals(const sequences_t *self, uint64_t scenes, uint64_t gaps, uint64_t lost, uint64_t back)
{
    struct sequence_totals totals = sequences_totals(self);
    cr_assert_eq(totals.scenes, scenes);
    cr_assert_eq(totals.gaps, gaps);
    cr_assert_eq(totals.lost, lost);
    cr_assert_eq(totals.back, back);
}

Test(sequences, first_event_of_a_scene_is_no_gap)
{
    owned(sequences_destroy) sequences_t *self = sequences_create();
    uint64_t missing = 9;
    cr_assert_eq(note(self, "a", 5, 100, &missing), STEP_FIRST);
    cr_assert_eq(missing, 0);
    assert_totals(self, 1, 0, 0, 0);
}

Test(sequences, neighbours_are_no_gap)
{
    owned(sequences_destroy) sequences_t *self = sequences_create();
    uint64_t missing = 9;
    note(self, "a", 5, 100, &missing);
    cr_assert_eq(note(self, "a", 5, 101, &missing), STEP_NEXT);
    cr_assert_eq(missing, 0);
    assert_totals(self, 1, 0, 0, 0);
}

Test(sequences, hole_is_a_gap_of_its_size)
{
    owned(sequences_destroy) sequences_t *self = sequences_create();
    uint64_t missing = 0;
    note(self, "a", 5, 100, &missing);
    cr_assert_eq(note(self, "a", 5, 104, &missing), STEP_GAP);
    cr_assert_eq(missing, 3);
    cr_assert_eq(note(self, "a", 5, 105, &missing), STEP_NEXT);
    assert_totals(self, 1, 1, 3, 0);
}

Test(sequences, scenes_do_not_mix)
{
    owned(sequences_destroy) sequences_t *self = sequences_create();
    uint64_t missing = 0;
    note(self, "a", 5, 1, &missing);
    note(self, "b", 5, 40, &missing);
    cr_assert_eq(note(self, "a", 5, 2, &missing), STEP_NEXT);
    cr_assert_eq(note(self, "b", 5, 41, &missing), STEP_NEXT);
    assert_totals(self, 2, 0, 0, 0);
}

Test(sequences, new_epoch_counts_from_one)
{
    owned(sequences_destroy) sequences_t *self = sequences_create();
    uint64_t missing = 0;
    note(self, "a", 5, 100, &missing);
    cr_assert_eq(note(self, "a", 6, 1, &missing), STEP_NEXT);
    cr_assert_eq(note(self, "a", 7, 3, &missing), STEP_GAP);
    cr_assert_eq(missing, 2);
    assert_totals(self, 1, 1, 2, 0);
}

Test(sequences, double_and_disorder_go_back)
{
    owned(sequences_destroy) sequences_t *self = sequences_create();
    uint64_t missing = 9;
    note(self, "a", 5, 100, &missing);
    cr_assert_eq(note(self, "a", 5, 100, &missing), STEP_BACK);
    cr_assert_eq(note(self, "a", 5, 99, &missing), STEP_BACK);
    cr_assert_eq(missing, 0);
    assert_totals(self, 1, 0, 0, 2);
}

Test(sequences, coalesced_feed_has_holes_in_seq_but_not_in_prev)
{
    owned(sequences_destroy) sequences_t *self = sequences_create();
    uint64_t missing = 0;
    sequences_note(self, &(struct place){"a", 0, 0, 10}, &missing);
    cr_assert_eq(sequences_note(self, &(struct place){"a", 0, 10, 25}, &missing), STEP_NEXT);
    cr_assert_eq(sequences_note(self, &(struct place){"a", 0, 30, 33}, &missing), STEP_GAP);
    cr_assert_eq(missing, 5);
    assert_totals(self, 1, 1, 5, 0);
}

Test(sequences, scene_made_again_begins_again)
{
    owned(sequences_destroy) sequences_t *self = sequences_create();
    uint64_t missing = 0;
    note(self, "a", 5, 100, &missing);
    sequences_forget(self, "a");
    cr_assert_eq(note(self, "a", 5, 1, &missing), STEP_FIRST);
    assert_totals(self, 2, 0, 0, 0);
}

Test(sequences, repeat_is_neither_a_step_nor_a_step_back)
{
    owned(sequences_destroy) sequences_t *self = sequences_create();
    uint64_t missing = 9;
    note(self, "a", 5, 100, &missing);
    const struct place again = {"a", 5, 100, 100}, older = {"a", 5, 90, 90};
    cr_assert_eq(sequences_note(self, &again, &missing), STEP_REPEAT);
    cr_assert_eq(sequences_note(self, &older, &missing), STEP_REPEAT);
    cr_assert_eq(note(self, "a", 5, 101, &missing), STEP_NEXT);
    assert_totals(self, 1, 0, 0, 0);
}

Test(sequences, repeat_tells_what_was_missed_before_it)
{
    owned(sequences_destroy) sequences_t *self = sequences_create();
    uint64_t missing = 0;
    note(self, "a", 5, 100, &missing);
    const struct place later = {"a", 5, 104, 104};
    cr_assert_eq(sequences_note(self, &later, &missing), STEP_GAP);
    cr_assert_eq(missing, 4);
    assert_totals(self, 1, 1, 4, 0);
}

Test(sequences, late_event_of_an_epoch_is_back_and_makes_no_gap)
{
    owned(sequences_destroy) sequences_t *self = sequences_create();
    uint64_t missing = 0;
    note(self, "a", 5, 100, &missing);
    note(self, "a", 5, 104, &missing);
    const struct place late = {"a", 5, 100, 103};
    cr_assert_eq(sequences_note(self, &late, &missing), STEP_BACK);
    cr_assert_eq(note(self, "a", 5, 105, &missing), STEP_NEXT);
    assert_totals(self, 1, 1, 3, 1);
}
