// user_upgrade_test.c - sessions and device keys of a store from before users left memory.
#include "actors/user/user_upgrade.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "actors/user/user_family.h"
#include "actors/user/user_index.h"
#include "actors/user/user_writes.h"
#include "proto/base/owned.h"
#include "store/fault.h"
#include "tests/support/user_service.h"

TestSuite(user_upgrade, .init = user_service_begin, .fini = user_service_end, .timeout = 120);

static void
write_user(store_t *store, const char *id, bool is_admin, bool is_active, int64_t revocations)
{
    owned(arena_finish) struct arena arena = {0};
    owned(user_writes_finish) struct user_writes writes = {0};
    struct record *user = record_new(&arena, &user_schema);
    record_set_text(user, USER_ID, text_from(&arena, id));
    record_set_text(user, USER_USERNAME, text_from(&arena, id));
    ((struct user *)(void *)user)->is_admin = is_admin;
    ((struct user *)(void *)user)->is_active = is_active;
    record_mark(user, USER_ADMIN);
    record_mark(user, USER_ACTIVE);
    record_set_integer(user, USER_REVOCATIONS, revocations);
    user_writes_add(&writes, KEY_USER, NULL, user);
    cr_assert_eq(user_writes_commit(&writes, store), OK);
}

// As it was stored before it said what its user is. `id` is a character.
static void
write_session(store_t *store, char id, const char *user)
{
    char name[SESSION_ID_SIZE];
    owned(arena_finish) struct arena arena = {0};
    owned(user_writes_finish) struct user_writes writes = {0};
    struct record *session = record_new(&arena, &user_session_schema);
    memset(name, id, sizeof name - 1);
    name[sizeof name - 1] = '\0';
    record_set_text(session, SESSION_ID, text_from(&arena, name));
    record_set_text(session, SESSION_USER, text_from(&arena, user));
    record_set_integer(session, SESSION_EXPIRES, INT64_MAX);
    user_writes_add(&writes, KEY_SESSION, NULL, session);
    cr_assert_eq(user_writes_commit(&writes, store), OK);
}

static void
write_claim(store_t *store, const char *device, const char *user)
{
    owned(arena_finish) struct arena arena = {0};
    owned(user_writes_finish) struct user_writes writes = {0};
    struct record *claim = record_new(&arena, &claim_schema);
    record_set_text(claim, CLAIM_DEVICE, text_from(&arena, device));
    record_set_text(claim, CLAIM_USER, text_from(&arena, user));
    user_writes_add(&writes, KEY_CLAIM, NULL, claim);
    cr_assert_eq(user_writes_commit(&writes, store), OK);
}

// "f", who is an administrator; "g", who lost access twice; "h", who may not log in; "i" is gone.
static store_t *
open_older(void)
{
    user_service_stop();
    store_t *store = user_service_open_store();
    write_user(store, "f", true, true, 0);
    write_user(store, "g", false, true, 2);
    write_user(store, "h", false, false, 1);
    for (char id = 'f'; id <= 'i'; id++)
        write_session(store, id, (char[]){id, '\0'});
    return store;
}

static void
expect_sessions(store_t *store)
{
    owned(record_page_destroy) struct record_page *page = user_page(KEY_SESSION, 0, NULL);
    cr_assert_eq(user_page_read(page, store), OK);
    cr_assert_eq(2, page->count);
    const struct user_session *f =
        (const struct user_session *)(const void *)frozen_record(page->records[0]);
    const struct user_session *g =
        (const struct user_session *)(const void *)frozen_record(page->records[1]);
    cr_expect(text_is(f->user, "f"));
    cr_expect(f->is_admin);
    cr_expect_eq(0, f->revocations);
    cr_expect(text_is(g->user, "g"));
    cr_expect_not(g->is_admin);
    cr_expect_eq(2, g->revocations);
}

// The second time is a start that follows one which ended before it was noted: it must get on.
Test(user_upgrade, sessions_say_what_their_users_are_and_those_of_nobody_end)
{
    store_t *store = open_older();
    cr_expect_eq(OK, user_upgrade_sessions(store));
    expect_sessions(store);
    cr_assert_eq(OK, fault_wrap(&store, "unavailable=1", &store));
    cr_expect_eq(OK, user_upgrade_sessions(store), "it writes again what it has written");
    expect_sessions(store);
    store_destroy(&store);
    user_service_start();
    cr_expect_eq(2, sessions_count(user_service.sessions));
}

Test(user_upgrade, device_keys_of_users_who_are_gone_are_given_up)
{
    store_t *store = open_older();
    write_claim(store, "d1", "h");
    write_claim(store, "d2", "i");
    cr_expect_eq(OK, user_upgrade_claims(store));
    owned(record_page_destroy) struct record_page *page = user_page(KEY_CLAIM, 0, NULL);
    cr_assert_eq(user_page_read(page, store), OK);
    cr_assert_eq(1, page->count);
    cr_expect(text_is(frozen_key(page->records[0]), "d1"));
    store_destroy(&store);
    user_service_start();
}
