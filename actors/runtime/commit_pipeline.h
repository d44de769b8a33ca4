// commit_pipeline.h - how staged changes get to the disk and back: a batch goes to the committer
// and comes back as COMMITTED; only then its changes become visible and its requests are answered
// (actors/README.md, "The life of a write"). Every actor that owns records has one; its
// commit_behaviour says what differs. Runs on the actor's thread.
#ifndef DIORAMA_ACTORS_RUNTIME_COMMIT_PIPELINE_H
#define DIORAMA_ACTORS_RUNTIME_COMMIT_PIPELINE_H

#include "actors/runtime/actor.h"
#include "actors/runtime/repeats.h"
#include "actors/runtime/staging.h"

struct commit_pipeline;

struct commit_behaviour {
    // Makes a durable change visible.
    void (*apply)(struct commit_pipeline *self, const struct change *change);
    // All changes of a batch are applied, and none of its requests is answered yet; may be NULL.
    void (*applied)(struct commit_pipeline *self);
    // A change that never became durable; may be NULL.
    void (*drop)(struct commit_pipeline *self, struct change *change);
    // What a request waited for is durable (OK), or failed: answers it. Takes the message.
    void (*finish)(struct commit_pipeline *self, struct message *message, enum error error);
    // What a request had staged is gone: runs it from the start. Takes the message.
    void (*again)(struct commit_pipeline *self, struct message *message);
    // The result of a commit; may be NULL.
    void (*noted)(struct commit_pipeline *self, enum store_result result);
};

// Embedded in the state of its actor.
struct commit_pipeline {
    const struct commit_behaviour *behaviour;
    actor_t *actor;
    struct staging *staging;
    struct repeats *repeats; // answers that are kept
    char committer[MAILBOX_NAME_SIZE];
    uint64_t marker;  // number under KEY_COMMIT of this actor's marker
    uint64_t next_id; // of the messages to the committer
};

// Sends the filling batch to the committer unless one is being committed; with `is_wanted` an empty
// batch too. Answers requests that staged nothing and wait for nothing.
void commit_pipeline_turn(struct commit_pipeline *self, bool is_wanted);

// COMMITTED: applies the changes and finishes the requests, or drops them and runs later requests
// again. Those that waited for room go on, where this took long in a turn of their own. Always
// PARKED. Ends the process if nobody can tell what is on disk.
enum error commit_pipeline_committed(struct commit_pipeline *self, struct message *message);

// The `finish` of COMMITTED's row, whose `is_apart` is set: lets those go on that waited for room.
enum error commit_pipeline_go_on(struct commit_pipeline *self, struct message *message);

#endif
