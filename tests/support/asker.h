// asker.h - a test that asks actors and hears their answers. What is not answered within 10 s fails
// the test.
#ifndef DIORAMA_TESTS_SUPPORT_ASKER_H
#define DIORAMA_TESTS_SUPPORT_ASKER_H

#include "proto/message/mailbox.h"
#include "proto/message/message.h"

// Embedded; all zero until it is begun.
struct asker {
    mailbox_t *mailbox;           // "tester"
    uint64_t asked;               // requests so far
    struct message_queue answers; // heard before they were asked for
};

void asker_begin(struct asker *self);
void asker_end(struct asker *self);

// Sends the message (taken); returns the id of its answer.
uint64_t asker_send(struct asker *self, const char *to, struct message *message);
// The answer, yours.
struct message *asker_answer(struct asker *self, uint64_t id);
// Whether the answer has come.
bool asker_has(struct asker *self, uint64_t id);
// The error of the answer; the rest of it is dropped.
enum error asker_outcome(struct asker *self, uint64_t id);

// --- requests in words ---

// Sets a member of the message's params; NULL leaves it out.
void asker_set_param(struct message *message, unsigned field, const char *value);
// The records of the message: one JSON record or an array of them, with ' in place of ".
void asker_set_records(struct message *message, const struct schema *schema, const char *records);

#endif
