// repository_fetch_test.c - records that are read when somebody asks for them: histories of assets,
// through the asset actor. Reads of the store wait at a gate.
#include "actors/repository/repository_fetch.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "tests/support/library_service.h"

static struct library_id
make(struct library *library)
{
    return MAKE(library, ASSET_CREATE, .records = "{}", .bytes = "a");
}

static struct library_id
update(struct library *library, struct library_id of)
{
    return MAKE(library, ASSET_UPDATE, .asset = of.chars, .records = "{}", .bytes = "b");
}

// How many versions an answer tells of; it is dropped.
static size_t
versions(struct message *answer)
{
    cr_assert_eq(answer->reply.fault.error, OK);
    cr_assert_eq(answer->reply.count, 1);
    const struct history *history =
        (const struct history *)(const void *)reply_record(&answer->reply, 0);
    size_t count = texts_count(history->asset_ids);
    message_destroy(&answer);
    return count;
}

LIBRARY_TEST(repository_fetch, a_start_reads_none_and_one_read_serves_all_who_wait)
{
    struct library_id first = make(library);
    update(library, first);
    library_restart(library);
    cr_assert_eq(DO(library, ASSET_GET, .asset = first.chars), OK);
    uint64_t reads = gate_ended(library->store, GATE_READS);
    gate_close(library->store, GATE_READS);
    uint64_t one = SEND(library, HISTORY_GET, .asset = first.chars);
    uint64_t other = SEND(library, HISTORY_GET, .asset = first.chars);
    cr_assert(gate_await(library->store, GATE_READS));
    cr_assert_not(asker_has(&library->asker, one));
    gate_open(library->store, GATE_READS);
    cr_assert_eq(versions(asker_answer(&library->asker, one)), 2);
    cr_assert_eq(versions(asker_answer(&library->asker, other)), 2);
    cr_assert_eq(versions(ASK(library, HISTORY_GET, .asset = first.chars)), 2);
    cr_assert_eq(gate_ended(library->store, GATE_READS), reads + 1);
}

LIBRARY_TEST(repository_fetch, others_are_answered_while_one_waits)
{
    struct library_id first = make(library);
    update(library, first);
    library_restart(library);
    cr_assert_eq(DO(library, ASSET_GET, .asset = first.chars), OK);
    gate_close(library->store, GATE_READS);
    uint64_t one = SEND(library, HISTORY_GET, .asset = first.chars);
    cr_assert(gate_await(library->store, GATE_READS));
    cr_assert_eq(DO(library, ASSET_GET, .asset = first.chars), OK);
    cr_assert_not(asker_has(&library->asker, one));
    gate_open(library->store, GATE_READS);
    cr_assert_eq(versions(asker_answer(&library->asker, one)), 2);
}

LIBRARY_TEST(repository_fetch, a_write_that_waits_for_a_record_builds_on_it)
{
    struct library_id first = make(library), second = update(library, first);
    library_restart(library);
    gate_close(library->store, GATE_READS);
    uint64_t one =
        SEND(library, ASSET_UPDATE, .asset = second.chars, .records = "{}", .bytes = "c");
    uint64_t other = SEND(library, ASSET_DELETE, .asset = first.chars);
    cr_assert(gate_await(library->store, GATE_READS));
    gate_open(library->store, GATE_READS);
    struct library_id third = library_id_of(asker_answer(&library->asker, one));
    cr_assert_eq(asker_outcome(&library->asker, other), OK);
    cr_assert_eq(versions(ASK(library, HISTORY_GET, .asset = third.chars)), 2);
    library_restart(library);
    cr_assert_eq(versions(ASK(library, HISTORY_GET, .asset = second.chars)), 2);
}

LIBRARY_TEST(repository_fetch, an_end_while_a_read_is_under_way_is_in_order)
{
    struct library_id first = make(library);
    update(library, first);
    library_restart(library);
    gate_close(library->store, GATE_READS);
    SEND(library, HISTORY_GET, .asset = first.chars);
    cr_assert(gate_await(library->store, GATE_READS));
    gate_open(library->store, GATE_READS);
    library_restart(library);
    cr_assert_eq(versions(ASK(library, HISTORY_GET, .asset = first.chars)), 2);
}

// --- what cannot be read ---

// A history that nobody can decode takes the place of the stored one.
static void
damage(struct library *library, const char *id)
{
    struct arena arena = {0};
    const struct key key = key_of_text('H', text_from(&arena, id));
    const struct store_operation put = {.address = {FAMILY_ASSET, 0, key_bytes(&key)},
                                        .value = {"\xc1", 1}};
    const struct store_commit commit = {
        .id = store_version_new(), .operations = &put, .operation_count = 1};
    cr_assert_eq(store_commit(library->store, &commit, 0), STORE_OK);
    arena_finish(&arena);
}

LIBRARY_TEST(repository_fetch, a_damaged_record_fails_who_asks_for_it_and_nobody_else)
{
    struct library_id first = make(library), other = make(library);
    update(library, other);
    update(library, first);
    struct message *answer = ASK(library, HISTORY_GET, .asset = first.chars);
    char id[GENERATED_KEY_SIZE + 1] = "";
    strncpy(id, text_chars(record_key(reply_record(&answer->reply, 0))), GENERATED_KEY_SIZE);
    message_destroy(&answer);
    damage(library, id);
    library_restart(library);
    for (int round = 0; round < 2; round++)
        cr_assert_eq(DO(library, HISTORY_GET, .asset = first.chars), ERR_INTERNAL);
    cr_assert_eq(DO(library, ASSET_DELETE, .asset = first.chars), ERR_INTERNAL);
    cr_assert_eq(DO(library, ASSET_GET, .asset = first.chars), OK);
    cr_assert_eq(versions(ASK(library, HISTORY_GET, .asset = other.chars)), 2);
}

// More histories than the cache of a test (1 MiB) holds, each read again.
LIBRARY_TEST(repository_fetch, what_left_memory_is_read_again)
{
    enum { MANY = 60, VERSIONS = 2 };
    static struct library_id newest[MANY];
    struct repository *repository = (struct repository *)(void *)library->actor;
    repository->cache.limit = 4096;
    for (size_t i = 0; i < MANY; i++)
        newest[i] = update(library, make(library));
    for (size_t i = 0; i < MANY; i++)
        cr_assert_eq(versions(ASK(library, HISTORY_GET, .asset = newest[i].chars)), VERSIONS);
    cr_assert_leq(repository->cache.bytes, 4096 + 2048, "%zu", repository->cache.bytes);
}

// --- assets, collections and projects ---

LIBRARY_TEST(repository_fetch, an_asset_is_read_once_and_then_known)
{
    struct library_id asset = make(library);
    library_restart(library);
    uint64_t reads = gate_ended(library->store, GATE_READS);
    for (int round = 0; round < 2; round++)
        cr_assert_eq(DO(library, ASSET_GET, .asset = asset.chars), OK);
    cr_assert_eq(gate_ended(library->store, GATE_READS), reads + 1);
}

LIBRARY_TEST(repository_fetch, that_there_is_no_record_is_known_too)
{
    uint64_t reads = gate_ended(library->store, GATE_READS);
    for (int round = 0; round < 2; round++)
        cr_assert_eq(DO(library, PROJECT_GET, .project = "none"), ERR_NOT_FOUND);
    cr_assert_eq(gate_ended(library->store, GATE_READS), reads + 1);
}

// More than are read together.
LIBRARY_TEST(repository_fetch, a_bulk_request_gets_all_that_must_be_read)
{
    enum { MANY = 250 };
    static char ids[MANY * 32 + 32];
    size_t size = (size_t)sprintf(ids, "{'ids':['none'");
    for (int i = 0; i < MANY; i++)
        size += (size_t)sprintf(ids + size, ",'%s'",
                                MAKE(library, COLLECTION_CREATE, .records = "{}").chars);
    sprintf(ids + size, "]}");
    library_restart(library);
    uint64_t reads = gate_ended(library->store, GATE_READS);
    struct message *answer = ASK(library, COLLECTION_BULK, .records = ids);
    cr_assert_eq(answer->reply.fault.error, OK);
    cr_assert_eq(answer->reply.count, MANY);
    cr_assert_eq(gate_ended(library->store, GATE_READS), reads + MANY + 1);
    message_destroy(&answer);
}

LIBRARY_TEST(repository_fetch, a_deleted_collection_leaves_projects_that_must_be_read)
{
    struct library_id collection = MAKE(library, COLLECTION_CREATE, .records = "{}");
    struct library_id project = MAKE(library, PROJECT_CREATE, .records = "{}");
    cr_assert_eq(DO(library, PROJECT_ADD_COLLECTION, .project = project.chars,
                    .collection = collection.chars),
                 OK);
    library_restart(library);
    cr_assert_eq(DO(library, COLLECTION_DELETE, .collection = collection.chars), OK);
    struct message *answer = ASK(library, PROJECT_GET, .project = project.chars);
    cr_assert_eq(answer->reply.fault.error, OK);
    cr_assert_eq(texts_count(reply_project(answer, 0)->collections), 0);
    message_destroy(&answer);
}
