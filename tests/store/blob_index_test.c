// blob_index_test.c - references and pins of blobs.
#include "store/blob_index.h"

#include <criterion/criterion.h>
#include <string.h>

static struct blob_index blobs;

static void
finish(void)
{
    blob_index_finish(&blobs);
}

TestSuite(blob_index, .fini = finish);

static struct blob_hash
hash(unsigned char first)
{
    struct blob_hash hash = {{first}};
    return hash;
}

static struct blob_entry *
entry(unsigned char first)
{
    struct blob_hash of = hash(first);
    return blob_index_take(&blobs, &of);
}

static bool
is_there(unsigned char first)
{
    struct blob_hash of = hash(first);
    return blob_index_find(&blobs, &of) != NULL;
}

Test(blob_index, an_entry_is_made_once)
{
    cr_expect_not(is_there(1));
    struct blob_entry *made = entry(1);
    cr_expect_eq(made->references, 0);
    cr_expect_eq(made->pins, 0);
    cr_expect_eq(entry(1), made);
    cr_expect(is_there(1));
    cr_expect_not(is_there(2));
}

Test(blob_index, what_nothing_counts_for_is_unused_and_leaves_the_index)
{
    struct blob_hash unused;
    blob_index_note(&blobs, entry(7));
    cr_assert(blob_index_next_unused(&blobs, &unused));
    cr_expect_eq(memcmp(&unused, &(struct blob_hash){{7}}, sizeof unused), 0);
    cr_expect_not(is_there(7));
    cr_expect_not(blob_index_next_unused(&blobs, &unused));
}

Test(blob_index, what_is_counted_again_before_it_is_taken_stays)
{
    struct blob_hash unused;
    blob_index_note(&blobs, entry(1));
    blob_index_note(&blobs, entry(2));
    entry(1)->references = 1;
    entry(2)->pins = 1;
    cr_expect_not(blob_index_next_unused(&blobs, &unused));
    cr_expect(is_there(1));
    cr_expect(is_there(2));
}

Test(blob_index, a_pinned_or_referenced_entry_is_not_noted)
{
    struct blob_hash unused;
    entry(1)->references = 1;
    blob_index_note(&blobs, entry(1));
    cr_expect_not(entry(1)->is_unused);
    cr_expect_not(blob_index_next_unused(&blobs, &unused));
}

Test(blob_index, an_entry_that_is_noted_twice_is_unused_once)
{
    struct blob_hash unused;
    blob_index_note(&blobs, entry(1));
    blob_index_note(&blobs, entry(1));
    cr_expect(blob_index_next_unused(&blobs, &unused));
    cr_expect_not(blob_index_next_unused(&blobs, &unused));
}
