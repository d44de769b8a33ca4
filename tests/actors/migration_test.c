// migration_test.c - a store of an older format is brought to this one, whatever fails on the way.
#include "actors/migration.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/runtime/actor_family.h"
#include "actors/runtime/index_check.h"
#include "actors/streamer/streamer.h"
#include "actors/user/user_actor.h"
#include "actors/user/user_family.h"
#include "actors/user/user_writes.h"
#include "proto/base/owned.h"
#include "proto/codec/record_msgpack.h"
#include "proto/records/user.h"
#include "store/format.h"
#include "tests/support/library_service.h"

enum { PROJECTS_MADE = 30, FIRST_OF_FORMAT_5 = 18, KEYS_MOST = 1000 };

struct keys {
    size_t count;
    struct key items[KEYS_MOST];
};

// Index records of rows that format 4 did not have.
static bool
take_new_row(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct keys *self = context;
    const unsigned char *bytes = key.data;
    (void)version, (void)value;
    if (bytes[1] < FIRST_OF_FORMAT_5)
        return true;
    cr_assert_lt(self->count, KEYS_MOST);
    self->items[self->count].size = key.size;
    memcpy(self->items[self->count++].data, key.data, key.size);
    return true;
}

static void
write_one(struct library *library, struct bytes key, enum family family, struct bytes value,
          bool is_delete)
{
    const struct store_operation operation = {
        .address = {family, 0, key}, .value = value, .is_delete = is_delete};
    const struct store_commit commit = {
        .id = store_version_new(), .operations = &operation, .operation_count = 1};
    cr_assert_eq(store_commit(library->store, &commit, 0), STORE_OK);
}

// The store as format 4 had it.
static void
make_older(struct library *library)
{
    static struct keys keys;
    struct timeline timeline;
    uint64_t epoch;
    const struct key low = key_of_tag(KEY_INDEX), high = key_after(&low);
    for (int i = 0; i < PROJECTS_MADE; i++)
        MAKE(library, PROJECT_CREATE, .records = "{'name':'red pump','category':'c'}");
    keys.count = 0;
    cr_assert_eq(store_scan(library->store, FAMILY_ASSET, 0, key_bytes(&low), key_bytes(&high),
                            false, 0, 0, take_new_row, &keys),
                 STORE_OK);
    cr_assert_eq(keys.count, 5 * PROJECTS_MADE); // category, three words, who may see it
    for (size_t i = 0; i < keys.count; i++)
        write_one(library, key_bytes(&keys.items[i]), FAMILY_ASSET, (struct bytes){0}, true);
    cr_assert_eq(streamer_next_epoch(library->store, NULL, &timeline, &epoch), OK);
    cr_assert_eq(format_write(library->store, FORMAT_DUES_SUMMED, 0), OK);
}

static void
expect_whole(struct library *library)
{
    struct index_counts counts;
    uint32_t format, steps;
    const struct index_family family = asset_actor_indexes();
    cr_assert_eq(index_check(library->store, &family, &counts), OK);
    cr_assert_eq(0, counts.missing);
    cr_assert_eq(0, counts.stray);
    cr_assert_eq(format_read(library->store, &format, &steps), OK);
    cr_assert_eq(FORMAT_NOW, format);
    owned(message_destroy) struct message *found =
        ASK(library, PROJECT_LIST, .after = "", .q = "pump", .sort = "type", .num_records = 100);
    cr_assert_eq(PROJECTS_MADE, found->reply.count);
}

LIBRARY_TEST(migration, what_lists_need_is_written_for_a_store_of_format_4)
{
    make_older(library);
    cr_assert_eq(migration_run(library->store), OK);
    expect_whole(library);
}

// Starts the store again and again, each time for one commit more, until it is upgraded; how often.
static unsigned
starts_until_it_is_done(struct library *library)
{
    unsigned starts = 0;
    for (bool is_over = false; !is_over; starts++) {
        char plan[32];
        snprintf(plan, sizeof plan, "unavailable=%u", starts + 1);
        library_set_faults(library, plan);
        is_over = migration_run(library->store) == OK;
        cr_assert_lt(starts, 20);
    }
    library_set_faults(library, "");
    return starts;
}

LIBRARY_TEST(migration, a_start_that_ends_at_any_commit_loses_nothing)
{
    make_older(library);
    // Index records, the step, the format.
    cr_assert_geq(starts_until_it_is_done(library), 3);
    expect_whole(library);
}

// A project, and a user, that cannot be read.
static void
damage_some(struct library *library)
{
    struct library_id id = MAKE(library, PROJECT_CREATE, .records = "{'name':'blue'}");
    owned(arena_finish) struct arena arena = {0};
    const struct key project = key_of_text('J', text_from(&arena, id.chars));
    const struct key user = key_of_text(KEY_USER, text_from(&arena, id.chars));
    const struct bytes damaged = {"\xc1", 1};
    write_one(library, key_bytes(&project), FAMILY_ASSET, damaged, false);
    write_one(library, key_bytes(&user), FAMILY_USER, damaged, false);
}

LIBRARY_TEST(migration, a_damaged_record_ends_no_start_on_a_store_of_any_format)
{
    make_older(library);
    damage_some(library);
    for (uint32_t format = FORMAT_0_1; format < FORMAT_NOW; format++) {
        uint32_t reached, steps;
        cr_assert_eq(OK, format_write(library->store, format, 0));
        cr_expect_eq(OK, migration_run(library->store), "of format %u", format);
        cr_assert_eq(OK, format_read(library->store, &reached, &steps));
        cr_expect_eq(FORMAT_NOW, reached);
    }
    owned(message_destroy) struct message *found =
        ASK(library, PROJECT_LIST, .after = "", .num_records = 100);
    cr_assert_eq(PROJECTS_MADE, found->reply.count);
}

// --- users ---

enum { USERS_MADE = 300 };

static void
write_record(struct library *library, key_tag_t tag, const struct record *record)
{
    struct buffer value = {0};
    const struct key key = key_of_text(tag, record_key(record));
    record_to_stored(record, &value);
    write_one(library, key_bytes(&key), FAMILY_USER, (struct bytes){value.data, value.size}, false);
    buffer_finish(&value);
}

// An administrator, and a session of theirs; or, with `has_user` false, one of nobody.
static void
write_user(struct library *library, unsigned number, bool has_user)
{
    owned(arena_finish) struct arena arena = {0};
    const struct text *id = text_format(&arena, "%024x", number);
    struct record *record = record_new(&arena, &user_schema);
    struct user *user = (struct user *)(void *)record;
    record_set_text(record, USER_ID, id);
    record_set_text(record, USER_USERNAME, text_format(&arena, "user%u", number));
    user->is_admin = user->is_active = true;
    record_mark(record, USER_ADMIN);
    record_mark(record, USER_ACTIVE);
    if (has_user)
        write_record(library, KEY_USER, record);
    struct record *session = record_new(&arena, &user_session_schema);
    record_set_text(session, SESSION_ID, id);
    record_set_text(session, SESSION_USER, id);
    record_set_integer(session, SESSION_EXPIRES, 1);
    write_record(library, KEY_SESSION, session);
}

// The store as format 5 had it: no row by which users are listed, and sessions that do not say what
// their users are. (Here it has no index records of users at all.)
static void
make_older_users(struct library *library)
{
    struct timeline timeline;
    uint64_t epoch;
    for (unsigned i = 0; i < USERS_MADE; i++)
        write_user(library, i, true);
    write_user(library, USERS_MADE, false);
    cr_assert_eq(streamer_next_epoch(library->store, NULL, &timeline, &epoch), OK);
    cr_assert_eq(format_write(library->store, FORMAT_LISTS_INDEXED, 0), OK);
}

static void
expect_whole_users(struct library *library)
{
    struct index_counts counts;
    uint32_t format, steps;
    unsigned sessions = 0;
    const struct index_family family = user_actor_indexes();
    cr_assert_eq(index_check(library->store, &family, &counts), OK);
    cr_expect_eq(0, counts.missing);
    cr_expect_eq(0, counts.stray);
    cr_expect_eq(2 * USERS_MADE, counts.records);
    cr_assert_eq(format_read(library->store, &format, &steps), OK);
    cr_expect_eq(FORMAT_NOW, format);
    owned(record_page_destroy) struct record_page *page = user_page(KEY_SESSION, 0, NULL);
    do {
        cr_assert_eq(user_page_read(page, library->store), OK);
        for (size_t i = 0; i < page->count; i++, sessions++)
            cr_assert(((const struct user_session *)(const void *)frozen_record(page->records[i]))
                          ->is_admin);
    } while (page->is_more);
    cr_expect_eq(USERS_MADE, sessions, "that of nobody has ended");
}

LIBRARY_TEST(migration, users_of_format_5_are_listed_and_their_sessions_say_what_they_are)
{
    make_older_users(library);
    cr_assert_eq(migration_run(library->store), OK);
    expect_whole_users(library);
}

LIBRARY_TEST(migration, a_start_on_users_of_format_5_that_ends_at_any_commit_loses_nothing)
{
    make_older_users(library);
    // Index records, sessions, device keys, a step each, the format.
    cr_assert_geq(starts_until_it_is_done(library), 6);
    expect_whole_users(library);
}
