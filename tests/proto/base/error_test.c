// error_test.c - the error table and the fault of a thread.
#include "proto/base/error.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>

Test(error, rows_say_code_status_slug_and_sentence)
{
    cr_assert_eq(error_code(ERR_LOCKED), 123);
    cr_assert_eq(error_status(ERR_LOCKED), 423);
    cr_assert_str_eq(error_slug(ERR_LOCKED), "locked");
    cr_assert_str_eq(error_sentence(ERR_LOCKED), "Another device holds the lock.");
}

Test(error, success_is_100_with_status_200)
{
    cr_assert_eq(OK, 0);
    cr_assert_eq(error_code(OK), 100);
    cr_assert_eq(error_status(OK), 200);
}

static enum error
refuse(int value)
{
    return value < 0 ? fail(ERR_INVALID, "/frame", "must not be %d", value) : OK;
}

static enum error
pass_on(int value, int *ret_reached)
{
    TRY(refuse(value));
    *ret_reached = 1;
    return OK;
}

Test(error, fail_notes_the_fault_and_is_the_error)
{
    cr_assert_eq(refuse(-3), ERR_INVALID);
    const struct fault *fault = fault_last();
    cr_assert_eq(fault->error, ERR_INVALID);
    cr_assert_str_eq(fault->pointer, "/frame");
    cr_assert_str_eq(fault->detail, "must not be -3");
}

Test(error, try_passes_a_failure_on_and_ends_there)
{
    int reached = 0;
    cr_assert_eq(pass_on(-1, &reached), ERR_INVALID);
    cr_assert_eq(reached, 0);
    cr_assert_eq(pass_on(1, &reached), OK);
    cr_assert_eq(reached, 1);
}

Test(error, a_fault_is_taken_once)
{
    struct fault fault;
    cr_assert_eq(refuse(-1), ERR_INVALID);
    fault_take(ERR_INVALID, &fault);
    cr_assert_str_eq(fault.detail, "must not be -1");
    fault_take(ERR_INVALID, &fault);
    cr_assert_str_eq(fault.detail, "A value is invalid.");
    cr_assert_str_eq(fault.pointer, "");
}

Test(error, the_table_speaks_where_the_note_is_of_another_error)
{
    struct fault fault;
    cr_assert_eq(refuse(-1), ERR_INVALID);
    fault_take(ERR_NOT_FOUND, &fault);
    cr_assert_eq(fault.error, ERR_NOT_FOUND);
    cr_assert_str_eq(fault.detail, "Not found.");
}

Test(error, a_fault_may_be_noted_again_with_its_own_words)
{
    cr_assert_eq(refuse(-1), ERR_INVALID);
    const struct fault *last = fault_last();
    cr_assert_eq(fail(ERR_MALFORMED, last->pointer, "%s, %s", last->detail, "twice"),
                 ERR_MALFORMED);
    cr_assert_str_eq(fault_last()->pointer, "/frame");
    cr_assert_str_eq(fault_last()->detail, "must not be -1, twice");
}

Test(error, a_detail_that_is_cut_inside_a_character_stays_utf8)
{
    char words[256] = "";
    memset(words, 'x', 254);
    cr_assert_eq(fail(ERR_INVALID, "", "%s\xc3\xa9", words), ERR_INVALID);
    cr_assert_eq(strlen(fault_last()->detail), 255);
    cr_assert_eq(fault_last()->detail[254], '?');
}

static void *
fail_elsewhere(void *unused)
{
    (void)unused;
    enum error error = refuse(-9);
    return error == ERR_INVALID ? fail_elsewhere : NULL;
}

Test(error, each_thread_has_its_own_fault)
{
    cr_assert_eq(refuse(-1), ERR_INVALID);
    pthread_t thread;
    void *failed = NULL;
    cr_assert_eq(pthread_create(&thread, NULL, fail_elsewhere, NULL), 0);
    pthread_join(thread, &failed);
    cr_assert_not_null(failed);
    cr_assert_str_eq(fault_last()->detail, "must not be -1");
}

Test(error, what_is_noted_again_has_its_pointer_its_words_and_its_budget)
{
    struct fault kept, fault;
    fault_note(ERR_OVER_STORED_BUDGET, "/scenes/0", "too much");
    fault_note_budget("scenes");
    fault_take(ERR_OVER_STORED_BUDGET, &kept);
    fault_note(ERR_INVALID, "", "another");
    fault_take(fault_note_again(&kept), &fault);
    cr_assert_eq(fault.error, ERR_OVER_STORED_BUDGET);
    cr_assert_str_eq(fault.pointer, "/scenes/0");
    cr_assert_str_eq(fault.detail, "too much");
    cr_assert_str_eq(fault.budget, "scenes");
}
