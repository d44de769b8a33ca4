// commit_pipeline.h - how what is staged gets to the disk and back: a batch is submitted to the
// committer, is committed as COMMITTED, and only then its changes become visible and its requests
// are answered (architecture, "The actor"). For every actor that owns records; what is theirs to
// decide stands in a commit_behaviour. Runs on the actor's thread.
#ifndef DIORAMA_ACTORS_RUNTIME_COMMIT_PIPELINE_H
#define DIORAMA_ACTORS_RUNTIME_COMMIT_PIPELINE_H

#include "actors/runtime/actor.h"
#include "actors/runtime/staging.h"

struct commit_pipeline;

struct commit_behaviour {
    // Makes a durable change visible.
    void (*apply)(struct commit_pipeline *self, const struct change *change);
    // All changes of a batch are applied, none of its requests is answered; may be NULL.
    void (*applied)(struct commit_pipeline *self);
    // A change that never became durable; may be NULL.
    void (*drop)(struct commit_pipeline *self, struct change *change);
    // What a request waited for is durable (OK), or failed. Takes the message.
    void (*settle)(struct commit_pipeline *self, struct message *message, enum error error);
    // Runs a request from the start: what it had staged is gone. Takes the message.
    void (*again)(struct commit_pipeline *self, struct message *message);
    // What the store said of a commit; may be NULL.
    void (*noted)(struct commit_pipeline *self, enum store_result result);
};

// Embedded in the state of its actor.
struct commit_pipeline {
    const struct commit_behaviour *behaviour;
    actor_t *actor;
    struct staging *staging;
    char committer[MAILBOX_NAME_SIZE];
    uint64_t marker;  // number under KEY_COMMIT of this actor's marker
    uint64_t next_id; // of the messages to the committer
};

// Sends the filling batch to the committer where none is committing; with `is_wanted` an empty one
// too. Requests that staged nothing, and wait for nothing, are answered.
void commit_pipeline_turn(struct commit_pipeline *self, bool is_wanted);

// COMMITTED: applies, settles, or drops and runs again. Always PARKED. Ends the process where
// nobody can say what is on disk.
enum error commit_pipeline_committed(struct commit_pipeline *self, struct message *message);

#endif
