// resource_lists_test.c - lists that a reader finds for an actor: projects and assets, through the
// asset actor.
#include "actors/repository/resource_lists.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/owned.h"
#include "tests/support/library_service.h"

#define ANNA .role = CALLER_USER, .user = "aaaaaaaaaaaaaaaaaaaaaaaa"

static const char *
name_of(const struct message *answer, uint32_t index)
{
    return text_chars(reply_project(answer, index)->name);
}

static int64_t
total_of(const struct message *answer)
{
    return ((const struct envelope *)(const void *)answer->reply.envelope)->total;
}

static void
make(struct library *library, const char *name)
{
    char record[64];
    snprintf(record, sizeof record, "{'name':'%s','public':true}", name);
    MAKE(library, PROJECT_CREATE, .records = record);
}

LIBRARY_TEST(resource_lists, a_page_goes_on_behind_the_one_before)
{
    make(library, "c");
    make(library, "a");
    make(library, "b");
    owned(message_destroy) struct message *first =
        ASK(library, PROJECT_LIST, .after = "", .sort = "-name", .num_records = 2);
    cr_assert_eq(first->reply.count, 2);
    cr_assert_str_eq("c", name_of(first, 0));
    cr_assert_eq(3, total_of(first));
    const struct envelope *envelope = (const void *)first->reply.envelope;
    owned(message_destroy) struct message *second =
        ASK(library, PROJECT_LIST, .after = text_chars(envelope->next), .sort = "-name",
            .num_records = 2);
    cr_assert_eq(second->reply.count, 1);
    cr_assert_str_eq("a", name_of(second, 0));
    cr_assert_eq(3, total_of(second));
    cr_assert_eq(DO(library, PROJECT_LIST, .after = text_chars(envelope->next), .sort = "name"),
                 ERR_INVALID);
}

LIBRARY_TEST(resource_lists, what_was_answered_is_listed_and_what_is_changed_or_gone_is_not)
{
    struct library_id id = MAKE(library, PROJECT_CREATE, .records = "{'name':'red'}");
    owned(message_destroy) struct message *made =
        ASK(library, PROJECT_LIST, .after = "", .q = "re");
    cr_assert_eq(made->reply.count, 1);
    cr_assert_eq(DO(library, PROJECT_UPDATE, .project = id.chars, .records = "{'name':'blue'}"),
                 OK);
    owned(message_destroy) struct message *old = ASK(library, PROJECT_LIST, .after = "", .q = "re");
    cr_assert_eq(old->reply.count, 0);
    owned(message_destroy) struct message *changed =
        ASK(library, PROJECT_LIST, .after = "", .q = "blue");
    cr_assert_eq(changed->reply.count, 1);
    cr_assert_eq(DO(library, PROJECT_DELETE, .project = id.chars), OK);
    owned(message_destroy) struct message *gone = ASK(library, PROJECT_LIST, .after = "");
    cr_assert_eq(gone->reply.count, 0);
    cr_assert_eq(0, total_of(gone));
}

LIBRARY_TEST(resource_lists, a_user_finds_and_counts_what_they_may_see)
{
    make(library, "public");
    MAKE(library, PROJECT_CREATE, .records = "{'name':'hers'}", ANNA);
    MAKE(library, PROJECT_CREATE, .records = "{'name':'his'}", .role = CALLER_USER,
         .user = "bbbbbbbbbbbbbbbbbbbbbbbb");
    owned(message_destroy) struct message *answer =
        ASK(library, PROJECT_LIST, .after = "", .sort = "name", ANNA);
    cr_assert_eq(answer->reply.count, 2);
    cr_assert_str_eq("hers", name_of(answer, 0));
    cr_assert_str_eq("public", name_of(answer, 1));
    cr_assert_eq(2, total_of(answer));
}

// The next request is about another record, so the actor answers it while the list is read.
LIBRARY_TEST(resource_lists, a_list_that_is_read_holds_nobody)
{
    make(library, "a");
    gate_close(library->store, GATE_READS);
    uint64_t list = SEND(library, PROJECT_LIST, .after = "");
    cr_assert(gate_await(library->store, GATE_READS));
    make(library, "b");
    cr_assert_not(asker_has(&library->asker, list));
    gate_open(library->store, GATE_READS);
    cr_assert_eq(asker_outcome(&library->asker, list), OK);
}

LIBRARY_TEST(resource_lists, a_damaged_record_is_left_out)
{
    struct library_id id = MAKE(library, PROJECT_CREATE, .records = "{'name':'a'}");
    make(library, "b");
    owned(arena_finish) struct arena arena = {0};
    const struct key key = key_of_text('J', text_from(&arena, id.chars));
    const struct store_operation put = {.address = {FAMILY_ASSET, 0, key_bytes(&key)},
                                        .value = {"\xc1", 1}};
    const struct store_commit commit = {
        .id = store_version_new(), .operations = &put, .operation_count = 1};
    cr_assert_eq(store_commit(library->store, &commit, 0), STORE_OK);
    owned(message_destroy) struct message *paged = ASK(library, PROJECT_LIST, .after = "");
    cr_assert_eq(paged->reply.count, 1);
    owned(message_destroy) struct message *slice = ASK(library, PROJECT_LIST, .records = "{}");
    cr_assert_eq(slice->reply.count, 1);
    cr_assert_str_eq("b", name_of(slice, 0));
}
