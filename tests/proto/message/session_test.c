// session_test.c - the published table of sessions.
#include "proto/message/session.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { HOUR = 1000 };

static sessions_t *sessions;

static void
begin(void)
{
    sessions = sessions_create();
}

static void
end(void)
{
    sessions_destroy(&sessions);
}

TestSuite(session, .init = begin, .fini = end);

// Puts a session of `user` and writes its token.
static void
log_in(const char *user, uint64_t expires_us, char *ret_token)
{
    struct session session = {.expires_us = expires_us};
    session_token_new(ret_token);
    cr_assert(sessions_id(sessions, ret_token, session.id));
    strcpy(session.user, user);
    cr_assert_eq(sessions_put(sessions, &session), OK);
}

static bool
is_in(const char *token)
{
    struct session session;
    return sessions_find(sessions, token, 0, &session);
}

Test(session, tokens_are_43_characters_that_a_cookie_may_have_and_never_repeat)
{
    char one[SESSION_TOKEN_SIZE], other[SESSION_TOKEN_SIZE];
    session_token_new(one);
    session_token_new(other);
    cr_assert_eq(strlen(one), 43);
    cr_assert_eq(strspn(one, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
                 43);
    cr_assert_str_neq(one, other);
}

Test(session, a_token_finds_its_user_and_role)
{
    char ann[SESSION_TOKEN_SIZE], bob[SESSION_TOKEN_SIZE], id[SESSION_ID_SIZE];
    log_in("ann", HOUR, ann);
    log_in("bob", HOUR, bob);
    cr_assert(sessions_id(sessions, bob, id));
    sessions_set_admin(sessions, id, true);
    struct session found;
    cr_assert(sessions_find(sessions, ann, 0, &found));
    cr_assert_str_eq(found.user, "ann");
    cr_assert_not(found.is_admin);
    cr_assert(sessions_find(sessions, bob, 0, &found));
    cr_assert_str_eq(found.user, "bob");
    cr_assert(found.is_admin);
}

Test(session, what_is_no_token_finds_nobody)
{
    char token[SESSION_TOKEN_SIZE], longer[SESSION_TOKEN_SIZE + 1];
    log_in("ann", HOUR, token);
    snprintf(longer, sizeof longer, "%sA", token);
    cr_assert_not(is_in(""));
    cr_assert_not(is_in(longer));
    token[0] = token[0] == 'A' ? 'B' : 'A';
    cr_assert_not(is_in(token));
    token[42] = '\0';
    cr_assert_not(is_in(token));
}

Test(session, a_token_expires)
{
    char token[SESSION_TOKEN_SIZE];
    struct session found;
    log_in("ann", HOUR, token);
    cr_assert(sessions_find(sessions, token, HOUR - 1, &found));
    cr_assert_not(sessions_find(sessions, token, HOUR, &found));
}

Test(session, ending_one_leaves_the_others)
{
    char one[SESSION_TOKEN_SIZE], other[SESSION_TOKEN_SIZE];
    char id[SESSION_ID_SIZE];
    log_in("ann", HOUR, one);
    log_in("ann", HOUR, other);
    cr_assert(sessions_id(sessions, one, id));
    cr_assert(sessions_end(sessions, id));
    cr_assert_not(sessions_end(sessions, id));
    cr_assert_not(is_in(one));
    cr_assert(is_in(other));
}

Test(session, a_table_with_the_same_key_knows_the_same_tokens)
{
    char token[SESSION_TOKEN_SIZE];
    unsigned char key[SESSION_KEY_BYTES];
    char here[SESSION_ID_SIZE], there[SESSION_ID_SIZE], elsewhere[SESSION_ID_SIZE];
    sessions_t *copy = sessions_create(), *other = sessions_create();
    sessions_key(sessions, key);
    sessions_set_key(copy, key);
    session_token_new(token);
    cr_assert(sessions_id(sessions, token, here));
    cr_assert(sessions_id(copy, token, there));
    cr_assert(sessions_id(other, token, elsewhere));
    cr_assert_str_eq(here, there);
    cr_assert_str_neq(here, elsewhere);
    sessions_destroy(&copy);
    sessions_destroy(&other);
}

// Odd while the contested session is ended. A reader that finds it within one odd epoch is wrong.
static _Atomic unsigned epoch;
static _Atomic bool stop;
static char contested[SESSION_TOKEN_SIZE];

static void *
look_up(void *argument)
{
    size_t *wrong = argument;
    while (!atomic_load(&stop)) {
        unsigned before = atomic_load(&epoch);
        bool found = is_in(contested);
        *wrong += found && before % 2 && before == atomic_load(&epoch);
    }
    return NULL;
}

Test(session, nobody_finds_what_was_ended_before_they_looked)
{
    pthread_t readers[3];
    size_t wrong[3] = {0};
    struct session session = {.user = "ann", .expires_us = HOUR};
    log_in("ann", HOUR, contested);
    cr_assert(sessions_id(sessions, contested, session.id));
    for (int i = 0; i < 3; i++)
        pthread_create(&readers[i], NULL, look_up, &wrong[i]);
    for (int round = 0; round < 2000; round++) {
        cr_assert(sessions_end(sessions, session.id));
        atomic_fetch_add(&epoch, 1);
        cr_assert_not(is_in(contested));
        atomic_fetch_add(&epoch, 1);
        cr_assert_eq(sessions_put(sessions, &session), OK);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < 3; i++) {
        pthread_join(readers[i], NULL);
        cr_assert_eq(wrong[i], 0);
    }
}
