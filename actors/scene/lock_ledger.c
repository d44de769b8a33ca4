// lock_ledger.c - numbers locks, and keeps the keys of leases and of the newest fence in step with
// the objects (lock_ledger.h).

#include "actors/scene/lock_ledger.h"

#include "actors/scene/scene_family.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/base/clock.h"

static const int64_t second_us = 1000000;

const struct lock *
object_lock_of(const struct record *object)
{
    bool has_lock = object->schema == &object_schema && record_has(object, OBJECT_LOCKED);
    return has_lock ? lock_of(object_of(object)->rare->lock) : NULL;
}

bool
lock_is_lease(const struct lock *lock)
{
    return lock && record_has(&lock->base, LOCK_UNTIL);
}

int64_t
lock_renewed_until(const struct lock *lock, uint64_t calendar_us)
{
    return (int64_t)calendar_us + lock->lease_s * second_us;
}

void
lock_say_until(struct record *object, int64_t until_us)
{
    ((struct lock *)(uintptr_t)object_lock_of(object))->until_us = until_us;
}

// --- fences ---

static int64_t
larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t
fence_next(struct shard *self, struct scene_state *scene)
{
    if (scene->first_fence) {
        scene->fence++;
    } else {
        int64_t least = larger(scene->stored_fence, self->fence_floor) + 1;
        scene->first_fence = scene->fence = larger(least, (int64_t)self->settings.epoch);
    }
    return scene->fence;
}

bool
fence_is_known(const struct scene_state *scene, int64_t fence)
{
    if (scene->first_fence && fence >= scene->first_fence)
        return fence <= scene->fence;
    return fence > 0 && fence <= scene->stored_fence;
}

// --- locks of objects ---

struct lock *
object_give_lock(struct shard *self, struct scene_state *scene, struct arena *arena,
                 struct record *object, const struct text *holder)
{
    struct lock *lock = (struct lock *)(void *)record_new(arena, &lock_schema);
    struct object *changed = (struct object *)(void *)object;
    record_set_text(&lock->base, LOCK_HOLDER, holder);
    record_set_integer(&lock->base, LOCK_SINCE, (int64_t)clock_calendar_us());
    record_set_integer(&lock->base, LOCK_FENCE, fence_next(self, scene));
    record_set_text(object, OBJECT_OWNER, holder);
    record_set_integer(object, OBJECT_NEWEST_FENCE, lock->fence);
    changed->rare->lock = &lock->base;
    record_mark(object, OBJECT_LOCKED);
    return lock;
}

size_t
object_lock_bytes(const struct record *entity)
{
    enum { HOLDERS = 2, ALIGNED = 64 }; // the owner and the holder
    if (entity->schema != &object_schema || object_lock_of(entity))
        return 0;
    size_t holder = text_size(object_owner(object_of(entity)));
    if (holder == 0)
        return 0;
    return sizeof(struct object_rare) + sizeof(struct lock) +
           HOLDERS * (sizeof(struct text) + holder + 1) + ALIGNED;
}

void
object_drop_lock(struct record *object)
{
    record_set_text(object, OBJECT_OWNER, NULL);
    ((struct object *)(void *)object)->rare->lock = NULL;
    object->present &= ~FIELD_BIT(OBJECT_LOCKED);
}

const struct record *
object_with_lock(struct shard *self, struct scene_state *scene, struct arena *arena,
                 const frozen_t *before, const struct record *object)
{
    if (object->schema != &object_schema)
        return object;
    const struct text *owner = object_owner(object_of(object));
    const struct text *old = before ? object_owner(object_of(frozen_record(before))) : NULL;
    if (text_size(owner) == 0 || object_lock_of(object) || text_equal(owner, old))
        return object;
    struct record *locked = record_copy_flat(arena, &object_schema, object);
    object_give_lock(self, scene, arena, locked, owner);
    return locked;
}

// --- what is staged ---

static void
put_fence(struct shard *self, struct scene_state *scene)
{
    struct key value = {.size = sizeof(uint64_t)};
    key_put_u64(value.data, (uint64_t)scene->fence);
    batch_put_newest(self->staging.filling.batch, &scene->fence_place, scene->part,
                     key_of_scene_id(KEY_FENCE, scene->id), &value);
}

static void
put_lease(struct shard *self, struct scene_state *scene, const struct text *key,
          const struct lock *lock)
{
    struct batch *batch = self->staging.filling.batch;
    struct key address = key_in_scene(KEY_LEASE, scene->id, key),
               value = {.size = sizeof(uint64_t)};
    if (!lock_is_lease(lock)) {
        batch_delete(batch, scene->part, address);
        return;
    }
    key_put_u64(value.data, (uint64_t)lock->lease_s);
    batch_put_value(batch, scene->part, address, value);
}

void
lock_ledger_staged(struct shard *self, struct scene_state *scene, const frozen_t *before,
                   const frozen_t *after)
{
    const struct lock *old = before ? object_lock_of(frozen_record(before)) : NULL;
    const struct lock *now = after ? object_lock_of(frozen_record(after)) : NULL;
    if (now && !(old && old->fence == now->fence))
        put_fence(self, scene);
    int64_t old_s = lock_is_lease(old) ? old->lease_s : 0;
    int64_t now_s = lock_is_lease(now) ? now->lease_s : 0;
    if (old_s != now_s)
        put_lease(self, scene, frozen_key(after ? after : before), now);
}

void
lock_ledger_behind(struct shard *self, struct scene_state *scene, const frozen_t *entity)
{
    const struct lock *lock = object_lock_of(frozen_record(entity));
    if (lock && lock->fence == scene->fence)
        put_fence(self, scene);
}

// --- what the store has ---

void
lock_ledger_fence_known(struct scene_state *scene, struct bytes value)
{
    if (value.size == sizeof(uint64_t))
        scene->stored_fence = (int64_t)key_get_u64(value.data);
}

void
lock_ledger_lease_known(struct shard *self, struct scene_state *scene, const struct text *key,
                        int64_t lease_s)
{
    lease_index_put(&self->leases, scene, key, lease_s, clock_now_us());
}

void
lock_ledger_gone(struct shard *self, struct scene_state *scene)
{
    self->fence_floor = larger(self->fence_floor, larger(scene->fence, scene->stored_fence));
    lease_index_forget(&self->leases, scene);
}
