// answer_box_test.c - each answer comes to the box of its question, in order, and is lost with it.
#include "proto/message/answer_box.h"

#include <criterion/criterion.h>
#include <pthread.h>

#include "proto/base/clock.h"
#include "proto/base/owned.h"

enum { WAIT_MS = 10000 };

static struct message *
question_of(answer_box_t *box, uint64_t id)
{
    struct message *question = message_create(PING);
    question->id = id;
    answer_box_address(box, question);
    return question;
}

static void
answer(answer_box_t *box, uint64_t id)
{
    struct message *question = question_of(box, id);
    answer_box_put(&question);
    cr_assert_null(question);
}

Test(answer_box, gives_answers_in_the_order_of_their_coming)
{
    owned(answer_box_destroy) answer_box_t *box = answer_box_create();
    for (uint64_t id = 1; id <= 3; id++)
        answer(box, id);
    for (uint64_t id = 1; id <= 3; id++) {
        owned(message_destroy) struct message *found = answer_box_receive(box, 0);
        cr_assert_eq(id, found->id);
    }
    cr_assert_null(answer_box_receive(box, 0));
}

Test(answer_box, gives_what_came_while_older_answers_waited_behind_them)
{
    owned(answer_box_destroy) answer_box_t *box = answer_box_create();
    answer(box, 1);
    answer(box, 2);
    struct message *first = answer_box_receive(box, 0);
    answer(box, 3);
    struct message *second = answer_box_receive(box, 0), *third = answer_box_receive(box, 0);
    cr_assert_eq(1, first->id);
    cr_assert_eq(2, second->id);
    cr_assert_eq(3, third->id);
    message_destroy(&first);
    message_destroy(&second);
    message_destroy(&third);
}

Test(answer_box, an_answer_names_no_box_any_more)
{
    owned(answer_box_destroy) answer_box_t *box = answer_box_create();
    answer(box, 1);
    owned(message_destroy) struct message *found = answer_box_receive(box, 0);
    cr_assert_null(found->answers);
}

Test(answer_box, waits_as_long_as_it_was_told)
{
    owned(answer_box_destroy) answer_box_t *box = answer_box_create();
    uint64_t start_ms = clock_now_ms();
    cr_assert_null(answer_box_receive(box, 30));
    cr_assert_geq(clock_now_ms() - start_ms, 30);
}

// What it counted of answers that were there before somebody waited must not end later waits.
Test(answer_box, waits_also_after_answers_that_nobody_waited_for)
{
    owned(answer_box_destroy) answer_box_t *box = answer_box_create();
    for (uint64_t id = 1; id <= 100; id++) {
        answer(box, id);
        owned(message_destroy) struct message *found = answer_box_receive(box, WAIT_MS);
        cr_assert_eq(id, found->id);
    }
    uint64_t cpu_us = clock_thread_us(), start_ms = clock_now_ms();
    cr_assert_null(answer_box_receive(box, 50));
    cr_assert_geq(clock_now_ms() - start_ms, 50);
    cr_assert_lt(clock_thread_us() - cpu_us, 25000);
}

Test(answer_box, answers_that_wait_go_with_it)
{
    answer_box_t *box = answer_box_create();
    answer(box, 1); // the address sanitizer tells what stays
    answer_box_destroy(&box);
    cr_assert_null(box);
}

Test(answer_box, an_answer_that_comes_too_late_is_destroyed)
{
    answer_box_t *box = answer_box_create();
    struct message *question = question_of(box, 1);
    answer_box_destroy(&box);
    answer_box_put(&question);
    cr_assert_null(question);
}

Test(answer_box, a_question_that_nobody_answers_frees_its_box)
{
    answer_box_t *box = answer_box_create();
    struct message *question = question_of(box, 1);
    answer_box_destroy(&box);
    message_destroy(&question);
}

Test(answer_box, a_question_that_was_not_sent_has_no_address)
{
    owned(answer_box_destroy) answer_box_t *box = answer_box_create();
    owned(message_destroy) struct message *question = question_of(box, 1);
    answer_box_strike(question);
    cr_assert_null(question->answers);
}

// ---------------------------------------------------------------- threads

enum { ANSWERERS = 4, ANSWERS = 20000 };

struct answerer {
    answer_box_t *box;
    uint64_t number;
};

static void *
answer_many(void *argument)
{
    const struct answerer *self = argument;
    for (uint64_t i = 0; i < ANSWERS; i++)
        answer(self->box, self->number * ANSWERS + i);
    return NULL;
}

Test(answer_box, of_many_who_answer_the_answers_of_each_come_in_order)
{
    owned(answer_box_destroy) answer_box_t *box = answer_box_create();
    pthread_t threads[ANSWERERS];
    struct answerer answerers[ANSWERERS];
    uint64_t next[ANSWERERS] = {0};
    for (uint64_t i = 0; i < ANSWERERS; i++) {
        answerers[i] = (struct answerer){box, i};
        cr_assert_eq(pthread_create(&threads[i], NULL, answer_many, &answerers[i]), 0);
    }
    for (unsigned i = 0; i < ANSWERERS * ANSWERS; i++) {
        owned(message_destroy) struct message *found = answer_box_receive(box, WAIT_MS);
        cr_assert_not_null(found);
        cr_assert_eq(next[found->id / ANSWERS]++, found->id % ANSWERS);
    }
    for (unsigned i = 0; i < ANSWERERS; i++)
        pthread_join(threads[i], NULL);
}
