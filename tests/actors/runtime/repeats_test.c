// repeats_test.c - requests with an Idempotency-Key, as the asset actor does them: once, whatever
// comes at the same time, fails or restarts.
#include "actors/runtime/repeats.h"

#include <criterion/criterion.h>
#include <stdio.h>

#include "proto/base/owned.h"
#include "tests/support/library_service.h"

#define MAKE_ONCE(library, key, print, ...)                                                        \
    ASK(library, PROJECT_CREATE, .repeat_key = (key), .repeat_print = (print),                     \
        .records = "{'name':'p'}", __VA_ARGS__)

static uint32_t
count(struct library *library)
{
    owned(message_destroy) struct message *answer =
        ASK(library, PROJECT_LIST, .num_records = 1000, .role = CALLER_ADMIN);
    return answer->reply.count;
}

static void
expect(struct message *answer, enum error error, bool is_replayed)
{
    cr_expect_eq(answer->reply.fault.error, error, "%s", answer->reply.fault.detail);
    cr_expect_eq(answer->reply.is_replayed, is_replayed);
    message_destroy(&answer);
}

LIBRARY_TEST(repeats, a_request_that_comes_again_gets_the_first_answer)
{
    struct library_id first = library_id_of(MAKE_ONCE(library, "k", "x"));
    for (int i = 0; i < 2; i++) {
        struct message *answer = MAKE_ONCE(library, "k", "x");
        cr_expect(answer->reply.is_replayed);
        cr_expect(text_is(reply_project(answer, 0)->name, "p"));
        cr_expect_str_eq(library_id_of(answer).chars, first.chars);
        library_restart(library);
    }
    cr_expect_eq(count(library), 1);
}

LIBRARY_TEST(repeats, another_request_with_the_key_is_refused)
{
    expect(MAKE_ONCE(library, "k", "x"), OK, false);
    expect(MAKE_ONCE(library, "k", "y"), ERR_INVALID, false);
    expect(MAKE_ONCE(library, "l", "y"), OK, false);
    cr_expect_eq(count(library), 2);
}

LIBRARY_TEST(repeats, a_key_belongs_to_whoever_asks)
{
    expect(MAKE_ONCE(library, "k", "x", .role = CALLER_USER, .user = "anna"), OK, false);
    expect(MAKE_ONCE(library, "k", "y", .role = CALLER_USER, .user = "bert"), OK, false);
    expect(MAKE_ONCE(library, "k", "z"), OK, false);
    expect(MAKE_ONCE(library, "k", "x", .role = CALLER_USER, .user = "anna"), OK, true);
}

LIBRARY_TEST(repeats, a_second_request_while_the_first_runs_is_a_conflict)
{
    gate_close(library->store, GATE_COMMITS);
    uint64_t first = SEND(library, PROJECT_CREATE, .repeat_key = "k", .repeat_print = "x",
                          .records = "{'name':'p'}");
    cr_assert(gate_await(library->store, GATE_COMMITS));
    expect(MAKE_ONCE(library, "k", "x"), ERR_CONFLICT, false);
    gate_open(library->store, GATE_COMMITS);
    cr_expect_eq(asker_outcome(&library->asker, first), OK);
    expect(MAKE_ONCE(library, "k", "x"), OK, true);
    cr_expect_eq(count(library), 1);
}

LIBRARY_TEST(repeats, a_request_whose_commit_failed_runs_again)
{
    library_set_faults(library, "unavailable=1");
    expect(MAKE_ONCE(library, "k", "x"), ERR_UNAVAILABLE, false);
    library_set_faults(library, "");
    expect(MAKE_ONCE(library, "k", "x"), OK, false);
    cr_expect_eq(count(library), 1);
}

LIBRARY_TEST(repeats, a_refusal_is_not_kept)
{
    struct message *answer = ASK(library, PROJECT_CREATE, .repeat_key = "k", .repeat_print = "x");
    expect(answer, ERR_MISSING, false);
    expect(MAKE_ONCE(library, "k", "y"), OK, false);
}

LIBRARY_TEST(repeats, requests_without_a_key_are_as_ever)
{
    for (int i = 0; i < 2; i++)
        expect(ASK(library, PROJECT_CREATE, .records = "{'name':'p'}"), OK, false);
    cr_expect_eq(count(library), 2);
}

LIBRARY_TEST(repeats, many_keys_are_all_known_after_a_restart)
{
    enum { MANY = 300 };
    char key[16];
    for (int i = 0; i < MANY; i++) {
        snprintf(key, sizeof key, "%d", i);
        expect(MAKE_ONCE(library, key, "x"), OK, false);
    }
    library_restart(library);
    for (int i = 0; i < MANY; i++) {
        snprintf(key, sizeof key, "%d", i);
        expect(MAKE_ONCE(library, key, "x"), OK, true);
    }
    cr_expect_eq(count(library), MANY);
}
