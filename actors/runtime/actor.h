// actor.h - the loop that every actor runs: one thread, one mailbox, one table of operations.
// Receive one message (waiting), then drain without waiting up to LIMIT_DRAIN_MESSAGES, then tell
// the behaviour that the mailbox is drained; that is where batches are sealed and events leave.
#ifndef DIORAMA_ACTORS_RUNTIME_ACTOR_H
#define DIORAMA_ACTORS_RUNTIME_ACTOR_H

#include "proto/message/mailbox.h"
#include "proto/message/message.h"

typedef struct actor actor_t;

// Does one operation. OK or an error: the message is answered at once (destroyed where its `id` is
// 0: nobody waits). PARKED: the handler kept the message and answers it later with actor_answer.
// Runs to the end without waiting for anybody.
typedef enum error actor_handler(actor_t *self, struct message *message);

// One operation as an actor does it.
struct actor_operation {
    actor_handler *handle;
    const void *of; // what it works on: a row of a type that its handler knows, or NULL
    // A part of the request is durable: whether it has another part, for which the handler runs
    // again. NULL = it has one part.
    bool (*goes_on)(struct message *message);
    // The request ends, durable (OK) or failed: completes its reply, and returns the error that the
    // client is told. NULL = nothing is left to do.
    enum error (*finish)(actor_t *self, struct message *message, enum error error);
};

struct actor_behaviour {
    struct actor_operation operations[OPERATION_COUNT];
    enum error (*open)(actor_t *self); // on the actor's thread, before ready; may be NULL
    void (*drained)(actor_t *self);    // after each drain and each timeout; may be NULL
    int (*timeout_ms)(actor_t *self);  // how long the next wait may be, -1 for ever; NULL = -1
    bool (*stopping)(actor_t *self);   // after STOP: true once nothing is under way; NULL = at once
    void (*close)(actor_t *self);      // releases what the state holds, at the end; may be NULL
};

// Base of an actor's state: the first member of its struct.
struct actor {
    const struct actor_behaviour *behaviour;
    char name[MAILBOX_NAME_SIZE];
    mailbox_t *mailbox;
    bool backlog;       // the last drain hit its limit: more waits
    bool stopping;      // STOP came
    enum error opened;  // what `open` said
    struct fault fault; // and why
    void *thread;       // zactor_t
};

// Starts the thread and returns when it is ready. `self` is the first member of a heap block, the
// state of the actor, which belongs to the actor from now on: it is freed where the start fails,
// and at the end. Its mailbox is called `name`. Fails with what `open` failed with.
fallible actor_create(actor_t *self, const struct actor_behaviour *behaviour, const char *name);

// Sends STOP through `from` (the caller's mailbox), waits until the thread has ended, frees the
// state.
void actor_destroy(actor_t *self, mailbox_t *from);

// Answers a parked message: the reply stands in it, `error` turns it into a failure (OK = as it
// is).
void actor_answer(actor_t *self, struct message **message, enum error error);

// The row of the message's operation.
static inline const struct actor_operation *
actor_operation_of(const actor_t *self, const struct message *message)
{
    return &self->behaviour->operations[message->operation];
}

// Runs the handler of a message again, as if it had just come (a parked request that can go on).
void actor_dispatch(actor_t *self, struct message *message);

#endif
