// page_walk_test.c - many records that are not in memory, a page at a time: relationships, through
// the asset actor.
#include "actors/repository/page_walk.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/support/library_service.h"

enum { LINKS = 2 * RECORD_PAGE_MOST + 50 };

static void
fill(struct library *library, int count)
{
    static uint64_t ids[LINKS];
    char record[160];
    for (int i = 0; i < count; i++) {
        snprintf(record, sizeof record,
                 "{'assetId':'%05d','relationshipType':'t','relatedId':'%s'}", i,
                 i % 2 ? "hall" : "stage");
        ids[i] = SEND(library, RELATIONSHIP_PUT, .records = record);
    }
    for (int i = 0; i < count; i++)
        cr_assert_eq(asker_outcome(&library->asker, ids[i]), OK);
    library_restart(library);
}

// How many an answer has, in the order of their ids, each once; it is dropped.
static uint32_t
count(struct message *answer)
{
    cr_assert_eq(answer->reply.fault.error, OK, "%s", answer->reply.fault.detail);
    uint32_t found = answer->reply.count;
    for (uint32_t i = 1; i < found; i++)
        cr_assert_lt(
            text_compare(reply_relationship(answer, i - 1)->id, reply_relationship(answer, i)->id),
            0);
    message_destroy(&answer);
    return found;
}

#define LIST(library, ...) count(ASK(library, RELATIONSHIP_LIST, .num_records = 10000, __VA_ARGS__))

LIBRARY_TEST(page_walk, all_and_those_of_a_value_are_gone_through_in_the_order_of_their_keys)
{
    fill(library, LINKS);
    cr_assert_eq(LIST(library, .asset = NULL), LINKS);
    cr_assert_eq(LIST(library, .related = "hall"), LINKS / 2);
    cr_assert_eq(LIST(library, .asset = "00007"), 1);
    cr_assert_eq(LIST(library, .asset = "nobody"), 0);
}

LIBRARY_TEST(page_walk, a_page_of_a_list_begins_and_ends_anywhere)
{
    fill(library, LINKS);
    cr_assert_eq(count(ASK(library, RELATIONSHIP_LIST, .num_records = 10)), 10);
    cr_assert_eq(
        count(ASK(library, RELATIONSHIP_LIST, .start_record = LINKS - 7, .num_records = 100)), 7);
}

LIBRARY_TEST(page_walk, what_several_values_lead_to_is_found_once)
{
    fill(library, LINKS);
    static const char request[] =
        "{'assetIds':['00001','00002'],'relatedIds':['hall','hall','nothing']}";
    cr_assert_eq(count(ASK(library, RELATIONSHIP_BULK, .records = request, .num_records = 10000)),
                 LINKS / 2 + 1);
}

LIBRARY_TEST(page_walk, a_damaged_record_is_left_out_and_fails_who_needs_it)
{
    fill(library, 6);
    struct message *answer = ASK(library, RELATIONSHIP_LIST, .asset = "00003");
    struct arena arena = {0};
    const struct key key = key_of_text('R', reply_relationship(answer, 0)->id);
    const struct store_operation put = {.address = {FAMILY_ASSET, 0, key_bytes(&key)},
                                        .value = {"\xc1", 1}};
    const struct store_commit commit = {
        .id = store_version_new(), .operations = &put, .operation_count = 1};
    cr_assert_eq(store_commit(library->store, &commit, 0), STORE_OK);
    message_destroy(&answer);
    library_restart(library);
    cr_assert_eq(LIST(library, .asset = NULL), 5);
    cr_assert_eq(DO(library, RELATIONSHIP_DELETE, .asset = "00003", .type = "t", .related = "hall"),
                 ERR_INTERNAL);
    cr_assert_eq(DO(library, RELATIONSHIP_DELETE, .asset = "00005", .type = "t", .related = "hall"),
                 OK);
    arena_finish(&arena);
}
