// repository_test.c - when changes of records become visible, what a failed commit leaves, what is
// read at the start, and what will be, on top of what is durable.
#include "actors/repository/repository.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/asset/asset_family.h"
#include "actors/repository/repository_staged.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "proto/codec/record_msgpack.h"
#include "tests/support/library_service.h"

// --- what is staged over what is durable: a repository without a thread ---

enum { LINKS };

static const struct repository_kind kinds[] = {
    [LINKS] = {.tag = KEY_RELATIONSHIP,
               .schema = &relationship_schema,
               .index_count = 2,
               .indexes = {RELATIONSHIP_ASSET, RELATIONSHIP_RELATED}},
};

struct bare {
    struct temporary directory;
    struct repository repository;
    struct arena arena;
};

static struct bare bare;

static struct record *
new_link(const char *id, const char *asset, const char *related)
{
    struct record *link = record_new(&bare.arena, &relationship_schema);
    record_set_text(link, RELATIONSHIP_ID, text_from(&bare.arena, id));
    record_set_text(link, RELATIONSHIP_ASSET, text_from(&bare.arena, asset));
    record_set_text(link, RELATIONSHIP_RELATED, text_from(&bare.arena, related));
    return link;
}

// Writes bytes as a stored record, past every check.
static void
store_bytes(store_t *store, key_tag_t tag, const char *id, struct bytes value)
{
    struct arena arena = {0};
    const struct key key = key_of_text(tag, text_from(&arena, id));
    const struct store_operation put = {.address = {FAMILY_ASSET, 0, key_bytes(&key)},
                                        .value = value};
    const struct store_commit commit = {
        .id = store_version_new(), .operations = &put, .operation_count = 1};
    cr_assert_eq(store_commit(store, &commit, clock_deadline_ms(10000)), STORE_OK);
    arena_finish(&arena);
}

static void
store_link(store_t *store, const struct record *link)
{
    struct buffer value = {0};
    record_to_stored(link, &value);
    store_bytes(store, KEY_RELATIONSHIP, text_chars(record_key(link)),
                (struct bytes){value.data, value.size});
    buffer_finish(&value);
}

// Durable: a1 of asset a to x, a2 of a to y, b1 of b to x.
static struct repository *
bare_begin(void)
{
    temporary_init(&bare.directory);
    store_t *store = tested_store_open(&bare.directory);
    store_link(store, new_link("a1", "a", "x"));
    store_link(store, new_link("a2", "a", "y"));
    store_link(store, new_link("b1", "b", "x"));
    const struct repository_settings settings = {
        .family = FAMILY_ASSET, .committer = "", .kinds = kinds, .kind_count = 1, .store = store};
    repository_init(&bare.repository, &settings);
    bare.repository.staging.granted = (struct room){SIZE_MAX, SIZE_MAX}; // nobody asks here
    cr_assert_eq(repository_open(&bare.repository.base), OK);
    return &bare.repository;
}

static void
bare_end(void)
{
    repository_close(&bare.repository.base);
    store_destroy(&bare.repository.settings.store);
    arena_finish(&bare.arena);
    temporary_finish(&bare.directory);
}

static const frozen_t *
find(const char *id)
{
    return repository_find(&bare.repository, LINKS, text_from(&bare.arena, id));
}

// The ids of what will have this value, sorted, each behind a blank.
static const char *
latest_by(unsigned field, const char *value)
{
    static char ids[64];
    size_t count, size = 0;
    struct record_set sorted = {0};
    const frozen_t **found = repository_latest_by(
        &bare.repository, LINKS, field, text_from(&bare.arena, value), &bare.arena, &count);
    for (size_t i = 0; i < count; i++)
        record_set_put(&sorted, found[i]);
    cr_assert_eq(record_set_count(&sorted), count, "a record was found twice");
    const frozen_t *const *items = record_set_items(&sorted, &count);
    for (size_t i = 0; i < count; i++)
        size += (size_t)snprintf(ids + size, sizeof ids - size, " %s",
                                 text_chars(frozen_key(items[i])));
    record_set_finish(&sorted);
    return size ? ids : "";
}

Test(repository, records_are_found_by_the_members_that_their_kind_indexes, .fini = bare_end)
{
    struct repository *repository = bare_begin();
    size_t count;
    repository_find_by(repository, LINKS, RELATIONSHIP_ASSET, text_from(&bare.arena, "a"), &count);
    cr_assert_eq(count, 2);
    repository_find_by(repository, LINKS, RELATIONSHIP_RELATED, text_from(&bare.arena, "x"),
                       &count);
    cr_assert_eq(count, 2);
    repository_find_by(repository, LINKS, RELATIONSHIP_RELATED, text_from(&bare.arena, "a"),
                       &count);
    cr_assert_eq(count, 0);
}

Test(repository, what_is_staged_is_found_as_it_will_be_and_not_as_it_is, .fini = bare_end)
{
    struct repository *repository = bare_begin();
    repository_put(repository, LINKS, new_link("a1", "b", "x"), find("a1")); // moves to b
    repository_delete(repository, LINKS, find("b1"));
    repository_put(repository, LINKS, new_link("a3", "a", "x"), NULL);
    cr_assert_str_eq(latest_by(RELATIONSHIP_ASSET, "a"), " a2 a3");
    cr_assert_str_eq(latest_by(RELATIONSHIP_ASSET, "b"), " a1");
    cr_assert_str_eq(latest_by(RELATIONSHIP_RELATED, "x"), " a1 a3");
    cr_assert(repository_latest(repository, LINKS, text_from(&bare.arena, "b1")) == NULL);
    cr_assert(find("b1") != NULL, "for readers it is there");
    cr_assert(find("a3") == NULL, "for readers it is not there");
}

Test(repository, the_newest_of_several_staged_changes_counts, .fini = bare_end)
{
    struct repository *repository = bare_begin();
    const frozen_t *staged =
        repository_put(repository, LINKS, new_link("a1", "b", "x"), find("a1"));
    staged = repository_put(repository, LINKS, new_link("a1", "c", "x"), staged);
    cr_assert_str_eq(latest_by(RELATIONSHIP_ASSET, "b"), " b1");
    cr_assert_str_eq(latest_by(RELATIONSHIP_ASSET, "c"), " a1");
    repository_delete(repository, LINKS, staged);
    cr_assert_str_eq(latest_by(RELATIONSHIP_ASSET, "c"), "");
    cr_assert_str_eq(latest_by(RELATIONSHIP_ASSET, "a"), " a2");
}

Test(repository, what_fits_into_no_commit_is_refused_and_what_does_not_fit_now_waits,
     .fini = bare_end)
{
    struct repository *repository = bare_begin();
    struct message *message = message_create(PROJECT_CREATE);
    cr_assert_eq(
        repository_make_room(repository, message, room_for_removals(LIMIT_COMMIT_OPERATIONS - 1)),
        OK);
    cr_assert_eq(
        repository_make_room(repository, message, room_for_removals(LIMIT_COMMIT_OPERATIONS)),
        ERR_CONFLICT);
    cr_assert_eq(repository_make_room(repository, message, room_for_records(1, LIMIT_COMMIT_BYTES)),
                 ERR_CONFLICT);
    repository_delete(repository, LINKS, find("a1"));
    cr_assert_eq(
        repository_make_room(repository, message, room_for_removals(LIMIT_COMMIT_OPERATIONS - 2)),
        OK);
    cr_assert_eq(
        repository_make_room(repository, message, room_for_removals(LIMIT_COMMIT_OPERATIONS - 1)),
        PARKED);
    cr_assert_eq(repository->staging.waiting.count, 1); // which owns it now
}

Test(repository, does_not_start_on_a_damaged_record, .fini = bare_end)
{
    struct repository *repository = bare_begin();
    store_bytes(repository->settings.store, KEY_RELATIONSHIP, "zz", (struct bytes){"\xc1", 1});
    cr_assert_eq(repository_open(&repository->base), ERR_INTERNAL);
}

// --- commits: the asset actor ---

// Sends the request and waits until its commit stands at the closed gate.
#define SEND_AND_HOLD(library, ...)                                                                \
    ({                                                                                             \
        gate_close((library)->store, GATE_COMMITS);                                                \
        uint64_t held_id_ = SEND((library), __VA_ARGS__);                                          \
        cr_assert(gate_await((library)->store, GATE_COMMITS));                                     \
        held_id_;                                                                                  \
    })

static bool
shows_name(struct library *library, struct library_id id, const char *name)
{
    owned(message_destroy) struct message *answer = ASK(library, PROJECT_GET, .project = id.chars);
    return answer->reply.fault.error == OK && text_is(reply_project(answer, 0)->name, name);
}

LIBRARY_TEST(repository, a_change_is_invisible_until_it_is_durable)
{
    struct library_id id = MAKE(library, PROJECT_CREATE, .records = "{'name':'old'}");
    uint64_t update =
        SEND_AND_HOLD(library, PROJECT_UPDATE, .project = id.chars, .records = "{'name':'new'}");
    cr_assert(shows_name(library, id, "old"));
    gate_open(library->store, GATE_COMMITS);
    cr_assert_eq(asker_outcome(&library->asker, update), OK);
    cr_assert(shows_name(library, id, "new"));
}

LIBRARY_TEST(repository, a_write_builds_on_what_is_staged)
{
    struct library_id id = MAKE(library, PROJECT_CREATE, .records = "{'name':'old'}");
    uint64_t first =
        SEND_AND_HOLD(library, PROJECT_UPDATE, .project = id.chars, .records = "{'name':'new'}");
    uint64_t second = SEND(library, PROJECT_ADD_TAG, .project = id.chars, .tag = "t");
    gate_open(library->store, GATE_COMMITS);
    cr_assert_eq(asker_outcome(&library->asker, first), OK);
    owned(message_destroy) struct message *answer = asker_answer(&library->asker, second);
    cr_assert(text_is(reply_project(answer, 0)->name, "new"));
    cr_assert_eq(texts_count(reply_project(answer, 0)->tags), 1);
}

LIBRARY_TEST(repository, a_failed_commit_is_answered_with_its_error_and_leaves_nothing)
{
    struct library_id id = MAKE(library, PROJECT_CREATE, .records = "{'name':'old'}");
    library_set_faults(library, "full=1");
    cr_assert_eq(DO(library, PROJECT_UPDATE, .project = id.chars, .records = "{'name':'new'}"),
                 ERR_STORAGE_FULL);
    cr_assert(shows_name(library, id, "old"));
    library_set_faults(library, "");
    cr_assert_eq(DO(library, PROJECT_ADD_TAG, .project = id.chars, .tag = "t"), OK);
    cr_assert(shows_name(library, id, "old"));
    library_restart(library);
    cr_assert(shows_name(library, id, "old"));
}

LIBRARY_TEST(repository, what_was_built_on_a_failed_commit_is_built_again_without_it)
{
    struct library_id id = MAKE(library, PROJECT_CREATE, .records = "{'name':'old'}");
    library_set_faults(library, "unavailable=2"); // every second from now on
    cr_assert_eq(DO(library, PROJECT_ADD_TAG, .project = id.chars, .tag = "t"), OK);
    uint64_t first =
        SEND_AND_HOLD(library, PROJECT_UPDATE, .project = id.chars, .records = "{'name':'new'}");
    uint64_t second = SEND(library, PROJECT_ADD_TAG, .project = id.chars, .tag = "u");
    gate_open(library->store, GATE_COMMITS);
    cr_assert_eq(asker_outcome(&library->asker, first), ERR_UNAVAILABLE);
    owned(message_destroy) struct message *answer = asker_answer(&library->asker, second);
    cr_assert_eq(answer->reply.fault.error, OK);
    cr_assert_eq(answer->reply.count, 1);
    cr_assert(text_is(reply_project(answer, 0)->name, "old"));
    cr_assert_eq(texts_count(reply_project(answer, 0)->tags), 2);
}

LIBRARY_TEST(repository, a_record_that_ended_while_its_creation_was_under_way_is_gone)
{
    struct library_id id = MAKE(library, COLLECTION_CREATE, .records = "{'name':'c'}");
    uint64_t update = SEND_AND_HOLD(library, COLLECTION_UPDATE, .collection = id.chars,
                                    .records = "{'name':'d'}");
    uint64_t removal = SEND(library, COLLECTION_DELETE, .collection = id.chars);
    uint64_t late = SEND(library, COLLECTION_UPDATE, .collection = id.chars, .records = "{}");
    cr_assert_eq(DO(library, COLLECTION_GET, .collection = id.chars), OK,
                 "for readers it is there");
    cr_assert_not(asker_has(&library->asker, late), "nobody is refused because of it");
    gate_open(library->store, GATE_COMMITS);
    cr_assert_eq(asker_outcome(&library->asker, update), OK);
    cr_assert_eq(asker_outcome(&library->asker, removal), OK);
    cr_assert_eq(asker_outcome(&library->asker, late), ERR_NOT_FOUND);
    cr_assert_eq(DO(library, COLLECTION_GET, .collection = id.chars), ERR_NOT_FOUND);
    library_restart(library);
    cr_assert_eq(DO(library, COLLECTION_GET, .collection = id.chars), ERR_NOT_FOUND);
}
