// outbox.h - what an actor asks of another one in the wake of something that it wrote, and must not
// forget (architecture, "The actor"). An entry is written in the same commit as its cause; when
// that is durable the entry is sent, again and again until everybody it is for has done it, then
// removed with whatever is written next, or alone after a while. The request that caused it is
// answered when it is done. A start goes on with what it finds. So an effect happens at least once:
// whoever is asked to do it does it by what it says, and finds nothing left to do the second time.
//
// Who is asked stands in the row of the operation: the one actor of its kind, or, for scene actors,
// all of them. The receiver's handler finds the effect in message->records; the sender's own table
// names a handler for the same operation, which gets the answer: outbox_acknowledged.
#ifndef DIORAMA_ACTORS_RUNTIME_OUTBOX_H
#define DIORAMA_ACTORS_RUNTIME_OUTBOX_H

#include "actors/runtime/actor.h"
#include "actors/runtime/staging.h"
#include "proto/records/effect.h"

struct outbox_entry;

// Embedded in the state of its actor.
struct outbox {
    actor_t *actor;
    struct staging *staging;
    unsigned shards; // how many scene actors there are
    // Everybody has done it, nobody has been told so; may be NULL.
    void (*done)(struct outbox *self, uint16_t part, const struct effect *effect);

    struct table entries;       // struct outbox_entry by the text of its id
    struct outbox_entry *ready; // to be sent or removed
    struct outbox_entry **ready_end;
    uint64_t retry_ms;  // when to look for what nobody answered; 0 = nothing is under way
    uint64_t remove_ms; // when what is done is removed though nothing else is written; 0 = never
};

void outbox_init(struct outbox *self, actor_t *actor, struct staging *staging, unsigned shards);
// Requests that wait are destroyed; the entries stay on disk.
void outbox_finish(struct outbox *self);

// A loose effect in the message's arena that asks `operation` about `key`.
struct effect *outbox_effect(struct message *message, enum operation operation,
                             const struct text *key);

// Stages the entry in `part`: one operation, for which there is room. `message`, whose request is
// its cause, is answered when it is done (outbox_hold).
void outbox_stage(struct outbox *self, struct message *message, uint16_t part,
                  struct effect *effect);

// Keeps a request, all of whose writes are durable and whose reply is complete, until the effect
// that it staged is done; false where it staged none, or that is done.
bool outbox_hold(struct outbox *self, struct message *message);

// A change under KEY_OUTBOX is durable, or failed.
void outbox_committed(struct outbox *self, const struct change *change);
void outbox_dropped(struct outbox *self, const struct change *change);

// At the end of each turn, before the batch is submitted: sends and removes what is ready.
void outbox_turn(struct outbox *self);

// When the next turn is due, whatever happens; 0 = never.
uint64_t outbox_deadline_ms(const struct outbox *self);

// The answer of one of those who were asked. Always PARKED.
enum error outbox_acknowledged(struct outbox *self, struct message *message);

// Whether an effect about this scene is not done yet.
bool outbox_has_scene(const struct outbox *self, int64_t scene_id);

// Reads the entries of a part at the start. Fails where they cannot be read.
fallible outbox_read(struct outbox *self, store_t *store, uint16_t part);

#endif
