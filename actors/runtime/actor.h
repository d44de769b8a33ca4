// actor.h - the loop that every actor runs: one thread, one mailbox, one table of operations.
// A turn waits for one message, takes those that are there already (LIMIT_DRAIN_MESSAGES and
// TURN_SLICE_US at most), goes on for as long with what is long or was paused (where the messages
// have taken a slice, in the next turn, which takes none), and ends with `drained`, where batches
// are submitted and events are sent.
#ifndef DIORAMA_ACTORS_RUNTIME_ACTOR_H
#define DIORAMA_ACTORS_RUNTIME_ACTOR_H

#include "actors/runtime/ended_sessions.h"
#include "actors/runtime/turn.h"
#include "proto/message/mailbox.h"
#include "proto/message/message.h"

typedef struct actor actor_t;
struct staging;

// Does one operation without waiting for anybody. OK or an error: the message is answered as
// actor_answer does, or destroyed if nobody waits for an answer (its `id` is 0). PARKED: the
// handler kept the message and answers it later with actor_answer.
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
    // Fills the reply of a request that came before with the first `count` records that it made, of
    // its records and message_key. NULL: its reply is kept as it was.
    enum error (*remake)(actor_t *self, struct message *message, uint32_t count);
    // It works in slices, and so begins with what is paused, behind the messages that have come:
    // else each of them would wait for its first slice.
    bool is_long;
    // It does much at once, as a commit that lands does: it begins a turn.
    bool is_apart;
};

// Who admits requests with an Idempotency-Key (repeats.h). `admit` is called before the handler,
// once for each request: OK lets it run, an error answers it, PARKED keeps it. `settle` is called
// before a request that was admitted is answered.
struct actor_admission {
    enum error (*admit)(actor_t *self, struct message *message);
    void (*settle)(actor_t *self, struct message *message);
};

struct actor_behaviour {
    struct actor_operation operations[OPERATION_COUNT];
    enum error (*open)(actor_t *self); // on the actor's thread, before ready; may be NULL
    // Before a handler runs, and before a request that paused goes on with its end: brings into
    // memory what the message is about. OK, an error that answers it, or PARKED: it kept the
    // message, and lets it go on with actor_go_on. NULL: nothing is to be brought.
    enum error (*prepare)(actor_t *self, struct message *message);
    void (*drained)(actor_t *self);   // after each drain and each timeout; may be NULL
    int (*timeout_ms)(actor_t *self); // how long the next wait may be, -1 for ever; NULL = -1
    bool (*stopping)(actor_t *self);  // after STOP: whether nothing is left to do; NULL = at once
    void (*close)(actor_t *self);     // releases what the state holds, at the end; may be NULL
    bool may_be_slow; // its turns may take long: nobody waits but who asked for what takes long
};

// Base of an actor's state: the first member of its struct.
struct actor {
    const struct actor_behaviour *behaviour;
    char name[MAILBOX_NAME_SIZE];
    mailbox_t *mailbox;
    struct staging *staging;           // what its handlers decide, or NULL (actor_stages)
    struct actor_admission *admission; // NULL: it keeps no answers
    bool has_looked;                   // the handler that runs has found something staged
    struct ended_sessions ended;       // whose requests are refused
    struct turn turn;
    struct message_queue paused; // they go on in the next turns, one after another
    struct message *behind;      // the first that the last turn left for the next one, or NULL
    bool backlog;                // there is one
    bool owes_paused;            // the next turn is for those that are paused
    bool stopping;               // STOP arrived
    enum error opened;           // the result of `open`
    struct fault fault;          // and its reason
    void *thread;                // zactor_t
};

// Starts the thread and returns when it is ready. `self` is the first member of a heap block, the
// state of the actor, which belongs to the actor from now on: it is freed where the start fails,
// and at the end. Its mailbox is called `name`. Fails with what `open` failed with.
fallible actor_create(actor_t *self, const struct actor_behaviour *behaviour, const char *name);

// Sends STOP through `from` (the caller's mailbox), waits until the thread has ended, frees the
// state.
void actor_destroy(actor_t *self, mailbox_t *from);

// What the actor decides stands in `staging` until it is durable.
void actor_stages(actor_t *self, struct staging *staging);

// The user's sessions with fewer revocations than `before` have ended (ended_sessions.h). Where it
// is ALL_SESSIONS all that they ask is refused from now on; else handlers look at `ended`, where
// what they write would stay.
void actor_end_sessions(actor_t *self, const struct text *user, int64_t before);

// Answers a parked message with the reply that it holds, or with `error` where that is not OK. If
// the handler that runs found something staged, the answer may rest on it, and waits until it is
// durable: nobody is told what a crash may undo.
void actor_answer(actor_t *self, struct message **message, enum error error);

// The same at once, of what is known to be durable.
void actor_answer_now(actor_t *self, struct message **message, enum error error);

// Whether a handler has worked long enough for this turn. Who has more to do pauses.
static inline bool
actor_must_pause(const actor_t *self)
{
    return turn_is_long(&self->turn);
}

// Keeps a message whose handler has more to do. The handler runs again in the next turn, after the
// messages that have come, and finds in `message->work` where it was; a request whose deadline has
// passed ends instead. Always PARKED.
enum error actor_pause(actor_t *self, struct message *message);

// The same for a request that has ended well: its row's `finish` runs again, to go on.
enum error actor_pause_end(actor_t *self, struct message *message);

// A request ends: its row's `finish`, then the answer, unless that waits for something else.
void actor_finish(actor_t *self, struct message *message, enum error error);

// The row of the message's operation.
static inline const struct actor_operation *
actor_operation_of(const actor_t *self, const struct message *message)
{
    return &self->behaviour->operations[message->operation];
}

// Runs the handler of a parked message again, as if the message had just arrived.
void actor_dispatch(actor_t *self, struct message *message);

// A message that `prepare` parked goes on where it was: with its handler, or with its end.
void actor_go_on(actor_t *self, struct message *message);

#endif
