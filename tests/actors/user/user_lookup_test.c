// user_lookup_test.c - who has a name, an address or a role, through the user actor; and that it
// costs the same however many users there are. names_test.py shows names that are one.
#include "actors/user/user_lookup.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <time.h>

#include "actors/user/user_family.h"
#include "actors/user/user_writes.h"
#include "tests/support/user_service.h"

TestSuite(user_lookup, .init = user_service_begin, .fini = user_service_end, .timeout = 120);

enum { CROWD = 20000, ASKED = 200, CROWD_AT_ONCE = 500 };

static enum error
change(enum operation operation, const char *user)
{
    return user_service_outcome(user_request_about(operation, NULL, user));
}

// The id of a stored user of the crowd.
static void
crowd_id(unsigned number, char ret_id[USER_ID_SIZE])
{
    snprintf(ret_id, USER_ID_SIZE, "%024x", number);
}

static void
store_crowd(store_t *rocks, unsigned first)
{
    struct arena arena = {0};
    struct user_writes writes = {0};
    for (unsigned i = 0; i < CROWD_AT_ONCE; i++) {
        char id[USER_ID_SIZE];
        struct record *user = record_new(&arena, &user_schema);
        crowd_id(first + i, id);
        record_set_text(user, USER_ID, text_from(&arena, id));
        record_set_text(user, USER_USERNAME, text_format(&arena, "crowd%u", first + i));
        ((struct user *)(void *)user)->email =
            texts_of_one(&arena, text_format(&arena, "%u@example.org", first + i));
        record_mark(user, USER_EMAIL);
        user_writes_add(&writes, KEY_USER, NULL, user);
    }
    cr_assert_eq(user_writes_commit(&writes, rocks), OK);
    user_writes_finish(&writes);
    arena_finish(&arena);
}

static void
restart_with_crowd(void)
{
    user_service_stop();
    store_t *rocks = user_service_open_store();
    for (unsigned first = 0; first < CROWD; first += CROWD_AT_ONCE)
        store_crowd(rocks, first);
    store_destroy(&rocks);
    user_service_start();
}

static enum error
set_address(const char *user, const char *address)
{
    struct message *message = user_request_about(USER_UPDATE, &user_schema, user);
    record_set_text(message->records->items[0], USER_EMAIL_TEXT,
                    text_from(&message->arena, address));
    return user_service_outcome(message);
}

Test(user_lookup, an_address_is_of_one_user_until_they_give_it_up)
{
    char ann[USER_ID_SIZE], bob[USER_ID_SIZE];
    user_service_sign_up("ann", ann);
    user_service_sign_up("bob", bob);
    cr_assert_eq(set_address(ann, "a@example.org"), OK);
    cr_assert_eq(set_address(ann, "a@example.org"), OK, "their own");
    cr_assert_eq(set_address(bob, "a@example.org"), ERR_CONFLICT);
    user_service_stop();
    user_service_start();
    cr_assert_eq(set_address(bob, "a@example.org"), ERR_CONFLICT);
    cr_assert_eq(set_address(ann, "b@example.org"), OK);
    cr_assert_eq(set_address(bob, "b@example.org"), ERR_CONFLICT);
    cr_assert_eq(set_address(bob, "a@example.org"), OK);
    cr_assert_eq(change(USER_DELETE, ann), OK);
    cr_assert_eq(set_address(bob, "b@example.org"), OK);
}

// Counted is the processor time of the whole process: an actor that looks at every user needs
// more than a millisecond for each of these requests.
Test(user_lookup, a_change_does_not_look_at_every_user)
{
    char id[USER_ID_SIZE], admin[USER_ID_SIZE], token[SESSION_TOKEN_SIZE];
    cr_assert_eq(user_service_log_in("admin", USER_SERVICE_PASSWORD, token), OK);
    user_of_token(token, admin);
    restart_with_crowd();
    crowd_id(CROWD - 1, id);
    cr_assert_eq(set_address(id, "0@example.org"), ERR_CONFLICT, "the crowd is there");
    clock_t before = clock();
    for (unsigned i = 0; i < ASKED; i++) {
        char address[32];
        snprintf(address, sizeof address, "new%u@example.org", i);
        crowd_id(i, id);
        cr_assert_eq(set_address(id, address), OK);
        cr_assert_eq(change(USER_DEACTIVATE, admin), ERR_CONFLICT, "the last one");
    }
    double each_us = (double)(clock() - before) * 1e6 / CLOCKS_PER_SEC / ASKED;
    cr_assert_lt(each_us, 1000);
}
