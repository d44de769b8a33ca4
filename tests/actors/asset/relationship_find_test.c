// relationship_find_test.c - what a query string names is found in pages, as it will be.
#include "actors/asset/relationship_find.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/support/library_service.h"

enum { LINKS = 450, WANTED = 5 };

static uint64_t
send_link(struct library *library, int number, const char *type, const char *to)
{
    char record[160];
    snprintf(record, sizeof record, "{'assetId':'%05d','relationshipType':'%s','relatedId':'%s'}",
             number, type, to);
    return SEND(library, RELATIONSHIP_PUT, .records = record);
}

static void
fill(struct library *library)
{
    static uint64_t ids[LINKS];
    for (int i = 0; i < LINKS; i++)
        ids[i] = send_link(library, i, i % (LINKS / WANTED) ? "other" : "wanted", "hall");
    for (int i = 0; i < LINKS; i++)
        cr_assert_eq(asker_outcome(&library->asker, ids[i]), OK);
    library_restart(library);
}

// Overwrites those of the type that lead to the hall.
#define OVERWRITE .related = "hall", .type = "wanted", .records = "{'relationshipSubtype':'x'}"

static bool
is_in(const struct message *answer, const char *asset)
{
    for (uint32_t i = 0; i < answer->reply.count; i++)
        if (text_is(reply_relationship(answer, i)->asset, asset))
            return true;
    return false;
}

LIBRARY_TEST(relationship_find, what_leads_to_one_key_is_gone_through_in_pages)
{
    fill(library);
    uint64_t reads = gate_ended(library->store, GATE_READS);
    struct message *answer = ASK(library, RELATIONSHIP_PUT, OVERWRITE);
    cr_assert_eq(answer->reply.fault.error, OK);
    cr_assert_eq(answer->reply.count, WANTED);
    message_destroy(&answer);
    cr_assert_geq(gate_ended(library->store, GATE_READS) - reads, 3);
}

LIBRARY_TEST(relationship_find, they_are_found_as_they_will_be)
{
    fill(library);
    gate_close(library->store, GATE_COMMITS);
    uint64_t moved = SEND(library, RELATIONSHIP_PUT, .asset = "00000", .type = "wanted",
                          .related = "hall", .records = "{'relatedId':'stage'}");
    cr_assert(gate_await(library->store, GATE_COMMITS));
    uint64_t gone =
        SEND(library, RELATIONSHIP_DELETE, .asset = "00090", .type = "wanted", .related = "hall");
    uint64_t come = send_link(library, 3000, "wanted", "hall");
    uint64_t all = SEND(library, RELATIONSHIP_PUT, OVERWRITE);
    for (int i = 0; i < 2; i++) // behind whose reads all reads of the last one have ended
        cr_assert_eq(DO(library, RELATIONSHIP_LIST, .num_records = 10000), OK);
    gate_open(library->store, GATE_COMMITS);
    cr_assert_eq(asker_outcome(&library->asker, moved), OK);
    cr_assert_eq(asker_outcome(&library->asker, gone), OK);
    cr_assert_eq(asker_outcome(&library->asker, come), OK);
    struct message *answer = asker_answer(&library->asker, all);
    cr_assert_eq(answer->reply.fault.error, OK, "%s", answer->reply.fault.detail);
    cr_assert_eq(answer->reply.count, WANTED - 1);
    cr_assert(is_in(answer, "03000"));
    cr_assert_not(is_in(answer, "00000"));
    cr_assert_not(is_in(answer, "00090"));
    message_destroy(&answer);
}
