// lock_index.h - the locked objects of a scene by who holds them: a device that leaves ends its
// locks without a walk through all objects.
#ifndef DIORAMA_ACTORS_SCENE_LOCK_INDEX_H
#define DIORAMA_ACTORS_SCENE_LOCK_INDEX_H

#include "actors/runtime/record_set.h"
#include "proto/base/table.h"

// Embedded; all zero is a valid empty index. It has references of its own.
struct lock_index {
    struct table holders;
};

// About what the index takes for a locked object, whose holder may have no other.
enum { LOCK_INDEX_BYTES = 256 };

// Who holds the lock of this entity; NULL: nobody, or it is of a kind that has none.
const struct text *lock_index_holder(const frozen_t *entity);
// One object was `old` and is `now`; NULL where it was not, or is no more. Other kinds of entities
// have no locks and change nothing.
void lock_index_replace(struct lock_index *self, const frozen_t *old, const frozen_t *now);
// What this device, or user, holds: borrowed, valid until the index changes; NULL: nothing.
struct record_set *lock_index_held_by(const struct lock_index *self, const struct text *holder);
// Whether somebody may ask the holder now, which is noted: once a second.
bool lock_index_may_ask(struct lock_index *self, const struct text *holder, uint64_t now_ms);
void lock_index_finish(struct lock_index *self);

#endif
