// blob_references_test.c - which blobs the stored index of assets refers to.
#include "actors/asset/blob_references.h"

#include <criterion/criterion.h>

#include "tests/support/library_service.h"

static struct blob_hash
hash_of(const struct message *answer)
{
    struct blob_hash hash;
    const struct text *hex = reply_asset(answer, 0)->sha256;
    cr_assert(blob_hash_from_hex(text_bytes(hex), text_size(hex), &hash));
    return hash;
}

static struct blob_hash
make(struct library *library, const char *bytes)
{
    struct message *answer = ASK(library, ASSET_CREATE, .records = "{}", .bytes = bytes);
    struct blob_hash hash = hash_of(answer);
    message_destroy(&answer);
    return hash;
}

static size_t
list(struct library *library, const struct blob_hash *low, size_t limit, struct blob_hash *found)
{
    const struct blob_records records = blob_references(library->store);
    size_t count;
    cr_assert_eq(records.list(records.context, low, limit, found, &count), OK);
    return count;
}

enum { BLOBS = 5 };

LIBRARY_TEST(blob_references, are_listed_in_order_each_once_from_a_place_on)
{
    static const char *const bytes[BLOBS] = {"1", "2", "3", "4", "5"};
    struct blob_hash expected[BLOBS], found[BLOBS + 1], zero = {{0}};
    for (size_t i = 0; i < BLOBS; i++)
        for (size_t copies = 0; copies <= i; copies++)
            expected[i] = make(library, bytes[i]);
    qsort(expected, BLOBS, sizeof expected[0], blob_hash_compare);
    for (size_t limit = 1; limit <= BLOBS + 1; limit++) {
        size_t count = limit < BLOBS ? limit : BLOBS;
        cr_assert_eq(list(library, &zero, limit, found), count, "%zu", limit);
        cr_assert_arr_eq(found, expected, count * sizeof found[0], "%zu", limit);
    }
    cr_assert_eq(list(library, &expected[3], 10, found), 2);
    cr_assert_arr_eq(found, expected + 3, 2 * sizeof found[0]);
    expected[4].bytes[31]++; // one behind the last
    cr_assert_eq(list(library, &expected[4], 10, found), 0);
}

LIBRARY_TEST(blob_references, of_what_is_deleted_are_gone_with_the_last_one)
{
    struct library_id one = MAKE(library, ASSET_CREATE, .records = "{}", .bytes = "a");
    struct library_id other = MAKE(library, ASSET_CREATE, .records = "{}", .bytes = "a");
    struct blob_hash found[2], zero = {{0}};
    cr_assert_eq(DO(library, ASSET_DELETE, .asset = one.chars), OK);
    cr_assert_eq(list(library, &zero, 2, found), 1);
    cr_assert_eq(DO(library, ASSET_DELETE, .asset = other.chars), OK);
    cr_assert_eq(list(library, &zero, 2, found), 0);
}
