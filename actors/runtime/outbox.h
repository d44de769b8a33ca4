// outbox.h - effects: what a write must bring about at another actor. An entry is written in the
// same commit as its cause. When that is durable the entry is sent, again and again until every
// receiver has done it; then it is removed with the next write, or alone after a while. The request
// that caused it is answered when it is done. A start goes on with the entries that it reads. So an
// effect happens at least once. It may come late and twice: effects.h says what it must not end
// then.
//
// The row of the operation says which actor receives it; of scene actors all do. The receiver's
// handler finds the effect in message->records. The table of the sender has a row for the same
// operation, which gets the answer: outbox_acknowledged.
#ifndef DIORAMA_ACTORS_RUNTIME_OUTBOX_H
#define DIORAMA_ACTORS_RUNTIME_OUTBOX_H

#include "actors/runtime/actor.h"
#include "actors/runtime/effects.h"
#include "actors/runtime/staging.h"

struct outbox_entry;

// Embedded in the state of its actor.
struct outbox {
    actor_t *actor;
    struct staging *staging;
    unsigned shards; // how many scene actors there are
    // Every receiver has done it, the request is not answered yet; may be NULL.
    void (*done)(struct outbox *self, uint16_t part, const struct effect *effect);

    struct table entries;       // struct outbox_entry by the text of its id
    struct outbox_entry *ready; // to be sent or removed
    struct outbox_entry **ready_end;
    uint64_t retry_ms;  // when to look for entries without an answer; 0 = there are none
    uint64_t remove_ms; // when done entries are removed though nothing else is written; 0 = never
};

void outbox_init(struct outbox *self, actor_t *actor, struct staging *staging, unsigned shards);
// Destroys the requests that wait; the entries stay on disk.
void outbox_finish(struct outbox *self);

// Stages the entry in `part`: one operation, for which there is room. `message`, the request that
// caused it, is answered when it is done (outbox_hold).
void outbox_stage(struct outbox *self, struct message *message, uint16_t part,
                  struct effect *effect);

// Keeps a request until the effect that it staged is done (FOR_EVER: all about that key); its
// writes are durable, and its reply is complete. False where it staged none, or the effect is done
// already.
bool outbox_hold(struct outbox *self, struct message *message);

// A change under KEY_OUTBOX is durable, or failed.
void outbox_committed(struct outbox *self, const struct change *change);
void outbox_dropped(struct outbox *self, const struct change *change);

// Sends and removes what is ready. At the end of each turn, before the batch is submitted.
void outbox_turn(struct outbox *self);

// When a turn is due though no message arrives; 0 = never.
uint64_t outbox_deadline_ms(const struct outbox *self);

// The answer of a receiver. Always PARKED.
enum error outbox_acknowledged(struct outbox *self, struct message *message);

// Whether an effect about this scene is not done yet.
bool outbox_has_scene(const struct outbox *self, int64_t scene_id);

// Reads the entries of a part at the start. Fails where they cannot be read.
fallible outbox_read(struct outbox *self, store_t *store, uint16_t part);

// The same of one entry, for an actor that reads several kinds of records in one scan.
fallible outbox_enter(struct outbox *self, uint16_t part, struct bytes value);

#endif
