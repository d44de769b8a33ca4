// blob_beliefs_test.c - which blobs were found to be whole lately.
#include "store/blob_beliefs.h"

#include <criterion/criterion.h>

#include "proto/base/clock.h"

static struct blob_beliefs beliefs;

static void
finish(void)
{
    blob_beliefs_finish(&beliefs);
}

TestSuite(blob_beliefs, .fini = finish);

static const struct blob_hash one = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
static const struct blob_stamp stamp = {.inode = 7, .size = 100, .changed = {1000, 5}};

static void
note(const struct blob_hash *hash)
{
    blob_beliefs_note(&beliefs, hash, &stamp, clock_deadline_ms(10000));
}

Test(blob_beliefs, a_file_that_was_found_whole_is_believed_while_its_stamp_is_the_same)
{
    cr_expect_not(blob_beliefs_has(&beliefs, &one, &stamp));
    note(&one);
    cr_expect(blob_beliefs_has(&beliefs, &one, &stamp));
    struct blob_stamp others[] = {stamp, stamp, stamp, stamp};
    others[0].inode++;
    others[1].size++;
    others[2].changed.tv_sec++;
    others[3].changed.tv_nsec++;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_expect_not(blob_beliefs_has(&beliefs, &one, &others[i]), "%zu", i);
}

Test(blob_beliefs, another_blob_of_the_same_slot_takes_its_place)
{
    struct blob_hash other = one;
    other.bytes[8]++;
    note(&one);
    cr_expect_not(blob_beliefs_has(&beliefs, &other, &stamp));
    note(&other);
    cr_expect(blob_beliefs_has(&beliefs, &other, &stamp));
    cr_expect_not(blob_beliefs_has(&beliefs, &one, &stamp));
}

Test(blob_beliefs, blobs_of_other_slots_stay)
{
    struct blob_hash other = one;
    other.bytes[1]++;
    note(&one);
    note(&other);
    cr_expect(blob_beliefs_has(&beliefs, &one, &stamp));
    cr_expect(blob_beliefs_has(&beliefs, &other, &stamp));
}

Test(blob_beliefs, what_was_found_too_long_ago_is_looked_at_again)
{
    blob_beliefs_note(&beliefs, &one, &stamp, 1);
    cr_expect_not(blob_beliefs_has(&beliefs, &one, &stamp));
}
