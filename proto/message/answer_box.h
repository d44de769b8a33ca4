// answer_box.h - where the answers of who only asks come back: a stack of messages and a semaphore.
// A question takes a reference to the box along (message.answers), and mailbox_reply puts it there.
// So an answer costs one wake-up and no descriptor; by ZeroMQ it takes two polls, a write and a
// read. Whoever answers may put; one thread at a time receives.
#ifndef DIORAMA_PROTO_MESSAGE_ANSWER_BOX_H
#define DIORAMA_PROTO_MESSAGE_ANSWER_BOX_H

#include "proto/message/message.h"

typedef struct answer_box answer_box_t;

answer_box_t *answer_box_create(void);
// Answers that wait are destroyed, and so is each that comes later. Accepts NULL.
void answer_box_destroy(answer_box_t **self);

// The answer to this question comes here. A question that is not sent loses its address again.
void answer_box_address(answer_box_t *self, struct message *question);
void answer_box_strike(struct message *question);

// Puts an answer into the box that its question named; it is destroyed where that is gone. Takes
// it: *answer becomes NULL.
void answer_box_put(struct message **answer);

// The next answer, of one who answers in the order of answering; NULL if none comes within
// `timeout_ms` (0 does not wait).
struct message *answer_box_receive(answer_box_t *self, int timeout_ms);

#endif
