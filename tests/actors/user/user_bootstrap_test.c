// user_bootstrap_test.c - what a start with authentication does to the users that are stored.
#include "actors/user/user_bootstrap.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/user/user_family.h"
#include "actors/user/user_index.h"
#include "actors/user/user_writes.h"
#include "proto/base/clock.h"
#include "proto/base/owned.h"
#include "tests/support/user_service.h"

static store_t *store;

// The administrator that the service made is gone: the store has no users.
static void
begin(void)
{
    user_service_begin();
    user_service_stop();
    store = user_service_open_store();
    owned(record_page_destroy) struct record_page *page = user_page(KEY_USER, 0, NULL);
    owned(user_writes_finish) struct user_writes writes = {0};
    cr_assert_eq(user_page_read(page, store), OK);
    for (size_t i = 0; i < page->count; i++)
        user_writes_add(&writes, KEY_USER, frozen_record(page->records[i]), NULL);
    cr_assert_eq(user_writes_commit(&writes, store), OK);
}

static void
end(void)
{
    store_destroy(&store);
    user_service_start();
    user_service_end();
}

TestSuite(user_bootstrap, .init = begin, .fini = end, .timeout = 120);

static enum error
bootstrap(void)
{
    static const struct config config = {
        .auth_enabled = true, .auth_admin_user = "root", .auth_admin_password = "correct horse"};
    sessions_t *sessions = sessions_create();
    const struct user_settings settings = {.config = &config, .sessions = sessions};
    enum error error = user_bootstrap(store, &settings);
    sessions_destroy(&sessions);
    return error;
}

// A user who may log in, with a session.
static void
write_user(const char *name, bool is_admin, bool is_open)
{
    owned(arena_finish) struct arena arena = {0};
    owned(user_writes_finish) struct user_writes writes = {0};
    struct record *record = record_new(&arena, &user_schema);
    struct record *session = record_new(&arena, &user_session_schema);
    struct user *user = (struct user *)(void *)record;
    record_set_text(record, USER_ID, text_from(&arena, name));
    record_set_text(record, USER_USERNAME, text_from(&arena, name));
    user->is_active = true;
    user->is_admin = is_admin;
    user->is_open = is_open;
    record_mark(record, USER_ACTIVE);
    record_mark(record, USER_ADMIN);
    record_mark(record, USER_OPEN);
    user_writes_add(&writes, KEY_USER, NULL, record);
    record_set_text(session, SESSION_ID, text_format(&arena, "session of %s", name));
    record_set_text(session, SESSION_USER, text_from(&arena, name));
    record_set_integer(session, SESSION_EXPIRES, INT64_MAX);
    user_writes_add(&writes, KEY_SESSION, NULL, session);
    cr_assert_eq(user_writes_commit(&writes, store), OK);
}

static size_t
count(key_tag_t tag, unsigned row, const char *value)
{
    owned(arena_finish) struct arena arena = {0};
    owned(record_page_destroy) struct record_page *page =
        user_page(tag, row, text_from(&arena, value));
    cr_assert_eq(user_page_read(page, store), OK);
    return page->count;
}

static size_t
count_administrators(void)
{
    return count(KEY_USER, INDEX_USER_ROLE, USER_ROLE_ADMINISTRATOR);
}

Test(user_bootstrap, one_administrator_is_made_where_there_is_none)
{
    write_user("ann", false, false);
    cr_expect_eq(OK, bootstrap());
    cr_expect_eq(1, count_administrators());
    cr_expect_eq(1, count(KEY_USER, INDEX_USER_NAME, "root"));
    cr_expect_eq(OK, bootstrap());
    cr_expect_eq(1, count_administrators());
}

Test(user_bootstrap, none_is_made_where_there_is_one)
{
    write_user("ann", true, false);
    cr_expect_eq(OK, bootstrap());
    cr_expect_eq(0, count(KEY_USER, INDEX_USER_NAME, "root"));
    cr_expect_eq(1, count(KEY_SESSION, INDEX_SESSION_USER, "ann"));
}

Test(user_bootstrap, who_was_open_is_closed_with_their_sessions_and_counts_as_no_administrator)
{
    write_user("ann", true, true);
    cr_expect_eq(OK, bootstrap());
    cr_expect_eq(1, count(KEY_USER, INDEX_USER_NAME, "root"));
    cr_expect_eq(1, count_administrators());
    cr_expect_eq(0, count(KEY_USER, INDEX_USER_OPEN, USER_OPEN_MARK));
    cr_expect_eq(0, count(KEY_SESSION, INDEX_SESSION_USER, "ann"));
}

Test(user_bootstrap, a_namesake_makes_room_with_their_sessions)
{
    write_user("root", false, false);
    cr_expect_eq(OK, bootstrap());
    cr_expect_eq(1, count(KEY_USER, INDEX_USER_NAME, "root"));
    cr_expect_eq(1, count_administrators());
    cr_expect_eq(0, count(KEY_SESSION, INDEX_SESSION_USER, "root"));
}

// Who cannot be read may be an administrator whom somebody knows.
Test(user_bootstrap, a_start_is_refused_where_the_only_administrators_are_damaged)
{
    write_user("ann", true, false);
    owned(arena_finish) struct arena arena = {0};
    const struct key key = key_of_text(KEY_USER, text_from(&arena, "ann"));
    const struct store_operation put = {.address = {FAMILY_USER, 0, key_bytes(&key)},
                                        .value = {"\xc1", 1}};
    const struct store_commit commit = {
        .id = store_version_new(), .operations = &put, .operation_count = 1};
    cr_assert_eq(store_commit(store, &commit, clock_deadline_ms(USER_SERVICE_WAIT_MS)), STORE_OK);
    cr_expect_eq(ERR_INTERNAL, bootstrap());
    const struct store_operation removal = {.address = put.address, .is_delete = true};
    const struct store_commit other = {
        .id = store_version_new(), .operations = &removal, .operation_count = 1};
    cr_assert_eq(store_commit(store, &other, clock_deadline_ms(USER_SERVICE_WAIT_MS)), STORE_OK);
}
