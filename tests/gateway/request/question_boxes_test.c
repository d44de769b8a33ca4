// question_boxes_test.c - as many boxes as are out at the same time, the warm ones first; each gets
// the answers to its own questions.
#include "gateway/request/question_boxes.h"

#include <criterion/criterion.h>

#include "proto/base/owned.h"
#include "proto/message/mailbox.h"

enum { WAIT_MS = 10000 };

Test(question_boxes, what_came_back_last_goes_out_first_with_its_ids)
{
    question_boxes_t *pool = question_boxes_create();
    struct question_box *a = question_boxes_borrow(pool), *b = question_boxes_borrow(pool);
    struct question_box *first = a, *second = b;
    cr_assert_neq(a, b);
    a->last_id = 7;
    question_boxes_give_back(pool, &b);
    question_boxes_give_back(pool, &a);
    cr_assert_null(a);
    a = question_boxes_borrow(pool);
    b = question_boxes_borrow(pool);
    cr_assert_eq(a, first);
    cr_assert_eq(a->last_id, 7);
    cr_assert_eq(b, second);
    question_boxes_give_back(pool, &a);
    question_boxes_give_back(pool, &b);
    question_boxes_destroy(&pool);
    cr_assert_null(pool);
}

static void
ask(struct question_box *box, uint64_t id)
{
    struct message *question = message_create(PING);
    question->id = id;
    cr_assert_eq(question_box_send(box, "actor", &question), OK);
    cr_assert_null(question);
}

static void
reply_next(mailbox_t *actor)
{
    struct message *question = mailbox_receive(actor, WAIT_MS);
    cr_assert_not_null(question);
    mailbox_reply(actor, &question);
}

// Answers, in the order of the questions, come to the box that asked.
Test(question_boxes, each_box_receives_the_answers_to_its_own_questions)
{
    enum { BOXES = 40 }; // more than there are outlets: some share one
    owned(mailbox_destroy) mailbox_t *actor = NULL;
    cr_assert_eq(mailbox_create("actor", true, &actor), OK);
    question_boxes_t *pool = question_boxes_create();
    struct question_box *boxes[BOXES];
    for (uint64_t i = 0; i < BOXES; i++)
        boxes[i] = question_boxes_borrow(pool);
    for (uint64_t i = 0; i < BOXES; i++)
        ask(boxes[i], i + 1);
    for (uint64_t i = 0; i < BOXES; i++)
        reply_next(actor);
    for (uint64_t i = 0; i < BOXES; i++) {
        owned(message_destroy) struct message *answer = answer_box_receive(boxes[i]->answers, 0);
        cr_assert_not_null(answer);
        cr_assert_eq(i + 1, answer->id);
        cr_assert_null(answer_box_receive(boxes[i]->answers, 0));
        question_boxes_give_back(pool, &boxes[i]);
    }
    question_boxes_destroy(&pool);
}

Test(question_boxes, questions_that_nobody_took_go_with_the_boxes)
{
    question_boxes_t *pool = question_boxes_create();
    struct question_box *box = question_boxes_borrow(pool);
    ask(box, 1); // to an actor that never comes; the address sanitizer tells what stays
    question_boxes_give_back(pool, &box);
    question_boxes_destroy(&pool);
}

Test(question_boxes, a_question_that_cannot_be_sent_stays_with_who_asks)
{
    question_boxes_t *pool = question_boxes_create();
    struct question_box *box = question_boxes_borrow(pool);
    struct message *question = NULL;
    enum error error = OK;
    while (error == OK) { // until the queue of an actor that never receives is full
        question = question ? question : message_create(PING);
        error = question_box_send(box, "actor", &question);
    }
    cr_assert_eq(ERR_UNAVAILABLE, error);
    cr_assert_not_null(question);
    cr_assert_null(question->answers);
    message_destroy(&question);
    question_boxes_give_back(pool, &box);
    question_boxes_destroy(&pool);
}
