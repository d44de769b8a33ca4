// lock_ledger.h - the fences of a scene, and what stands beside its objects on disk about their
// locks: the newest fence (KEY_FENCE), and which objects have a lease (KEY_LEASE), so that a start
// knows both without reading the objects. Written in the commit that changes the object.
#ifndef DIORAMA_ACTORS_SCENE_LOCK_LEDGER_H
#define DIORAMA_ACTORS_SCENE_LOCK_LEDGER_H

#include "proto/records/object.h"
#include "store/key.h"

struct shard;
struct scene_state;

// Writes beside the one that changes an object, at most: its lease, and the newest fence.
enum { LOCK_WRITES = 2 };

// The lock that is held of an object, or NULL. One of an older version has an owner alone.
const struct lock *object_lock_of(const struct record *object);
// Whether the lock ends by itself; false of NULL.
bool lock_is_lease(const struct lock *lock);

// When a lease that is renewed now ends, on the calendar.
int64_t lock_renewed_until(const struct lock *lock, uint64_t calendar_us);
// Writes into a thawed record when its lease ends.
void lock_say_until(struct record *object, int64_t until_us);

// A fence that was never given out; each is larger than all before it of the same scene, also where
// that was deleted and made again, and over restarts.
int64_t fence_next(struct shard *self, struct scene_state *scene);
// Whether it was given out.
bool fence_is_known(const struct scene_state *scene, int64_t fence);

// Gives the object, loose, a lock for this holder with a fence of its own, without an end.
struct lock *object_give_lock(struct shard *self, struct scene_state *scene, struct arena *arena,
                              struct record *object, const struct text *holder);
// The bytes that this adds, at most, to an entity that an update writes with an owner: asked for
// with the room for it. 0 where it gets no lock.
size_t object_lock_bytes(const struct record *entity);
// Takes it from it.
void object_drop_lock(struct record *object);
// Gives a lock to an object whose `owner` was written by an update. `before` may be NULL. The same
// object, or a copy in the arena.
const struct record *object_with_lock(struct shard *self, struct scene_state *scene,
                                      struct arena *arena, const frozen_t *before,
                                      const struct record *object);

// A write of an object (either may be NULL) joins the filling batch: the ledger does too.
void lock_ledger_staged(struct shard *self, struct scene_state *scene, const frozen_t *before,
                        const frozen_t *after);
// What came by UDP joins it: it has no lease that the store does not know.
void lock_ledger_behind(struct shard *self, struct scene_state *scene, const frozen_t *entity);

// What the store has was read: when a scene wakes, and at the start.
void lock_ledger_fence_known(struct scene_state *scene, struct bytes value);
void lock_ledger_lease_known(struct shard *self, struct scene_state *scene, const struct text *key,
                             int64_t lease_s);
// The scene is deleted.
void lock_ledger_gone(struct shard *self, struct scene_state *scene);

#endif
