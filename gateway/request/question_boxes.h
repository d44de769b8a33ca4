// question_boxes.h - what the workers ask from. A worker borrows a box for the time of its
// question; the one that came back last goes out first. So there are as many as questions were
// asked at the same time, not as many as workers. Questions of all boxes leave by a few mailboxes,
// under their locks: ZeroMQ keeps some 64 KiB for each pair of a mailbox and an actor, once some
// hundred messages went through. Answers come to the box (answer_box.h). Any thread.
#ifndef DIORAMA_GATEWAY_REQUEST_QUESTION_BOXES_H
#define DIORAMA_GATEWAY_REQUEST_QUESTION_BOXES_H

#include "proto/message/answer_box.h"

typedef struct question_boxes question_boxes_t;

// For one thread at a time. Ids tell late answers from those that are awaited.
struct question_box {
    struct question_box *next; // in the pool
    answer_box_t *answers;
    struct outlet *outlet; // by which its questions leave
    uint64_t last_id;      // of its questions
};

question_boxes_t *question_boxes_create(void);
// All boxes have been given back. Accepts NULL.
void question_boxes_destroy(question_boxes_t **self);

// A box for the calling thread alone, until it gives it back.
struct question_box *question_boxes_borrow(question_boxes_t *self);
void question_boxes_give_back(question_boxes_t *self, struct question_box **box);

// Sends a question to the mailbox `to`; on success *question becomes NULL, and its answer comes to
// box->answers. Questions of one box to one mailbox arrive in their order. Fails as mailbox_create
// and mailbox_send do; then the question stays yours.
fallible question_box_send(struct question_box *box, const char *to, struct message **question);

#endif
