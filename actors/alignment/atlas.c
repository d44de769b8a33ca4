// atlas.c - three tables behind one lock that prefers writers to new readers (atlas.h).
#define _GNU_SOURCE // pthread_rwlockattr_setkind_np
#include "actors/alignment/atlas.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/dense_table.h"
#include "proto/base/memory.h"
#include "proto/base/table.h"
#include "proto/message/access_item.h"
#include "proto/records/scene.h"

struct atlas {
    pthread_rwlock_t lock;
    struct dense_table scenes_by_id; // const packed_t *, one reference: millions
    struct dense_table scenes_by_key;
    struct table devices; // struct device_bearings by key
    uint64_t access;
    solution_t *solution;
    uint64_t epoch;
};

// The bearings of a device, the newest first.
struct device_bearings {
    size_t count;
    size_t capacity;
    struct bearing *bearings;
    struct text key;
};

atlas_t *
atlas_create(void)
{
    atlas_t *self = memory_take_zeroed(sizeof *self);
    pthread_rwlockattr_t kind;
    pthread_rwlockattr_init(&kind);
    pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&self->lock, &kind);
    pthread_rwlockattr_destroy(&kind);
    return self;
}

static void
device_bearings_destroy(struct device_bearings *self)
{
    free(self->bearings);
    free(self);
}

void
atlas_destroy(atlas_t **self)
{
    atlas_t *atlas = *self;
    if (!atlas)
        return;
    size_t cursor = 0;
    for (const packed_t *scene; (scene = dense_table_next(&atlas->scenes_by_id, &cursor)) != NULL;)
        packed_unref(&scene);
    cursor = 0;
    for (struct device_bearings *found; (found = table_next(&atlas->devices, &cursor)) != NULL;)
        device_bearings_destroy(found);
    dense_table_finish(&atlas->scenes_by_id);
    dense_table_finish(&atlas->scenes_by_key);
    table_finish(&atlas->devices);
    solution_unref(&atlas->solution);
    pthread_rwlock_destroy(&atlas->lock);
    free(atlas);
    *self = NULL;
}

// Readers of a constant atlas lock it too.
static void
lock_to_read(const atlas_t *self)
{
    pthread_rwlock_rdlock((pthread_rwlock_t *)(uintptr_t)&self->lock);
}

static void
unlock(const atlas_t *self)
{
    pthread_rwlock_unlock((pthread_rwlock_t *)(uintptr_t)&self->lock);
}

// --- scenes ---

static bool
scene_has_id(const void *value, const void *key)
{
    struct opened room;
    return (uint64_t)scene_of(packed_open(value, &room))->id == *(const uint64_t *)key;
}

static bool
scene_has_key(const void *value, const void *key)
{
    return text_equal(packed_key(value), key);
}

static const packed_t *
find_scene(const atlas_t *self, uint64_t scene_id)
{
    return dense_table_find(&self->scenes_by_id, table_hash_u64(scene_id), scene_has_id, &scene_id);
}

static void *
loose(const packed_t *record)
{
    return (void *)(uintptr_t)record; // tables own nothing and change nothing
}

static void
replace_scene(atlas_t *self, const packed_t *old, const packed_t *scene)
{
    struct opened old_room, room;
    const struct scene *before = scene_of(packed_open(old, &old_room)),
                       *after = scene_of(packed_open(scene, &room));
    dense_table_replace(&self->scenes_by_id, table_hash_u64((uint64_t)after->id), old,
                        loose(scene));
    dense_table_replace(&self->scenes_by_key, table_hash_text(after->key), old, loose(scene));
    self->access += before->is_public != after->is_public || !text_equal(before->user, after->user);
}

void
atlas_put_scene(atlas_t *self, const packed_t *scene)
{
    const packed_t *added = packed_ref(scene);
    struct opened room;
    const struct scene *named = scene_of(packed_open(scene, &room));
    pthread_rwlock_wrlock(&self->lock);
    const packed_t *old = find_scene(self, (uint64_t)named->id);
    if (old) {
        replace_scene(self, old, added);
    } else {
        dense_table_add(&self->scenes_by_id, table_hash_u64((uint64_t)named->id), loose(added));
        dense_table_add(&self->scenes_by_key, table_hash_text(named->key), loose(added));
    }
    pthread_rwlock_unlock(&self->lock);
    packed_unref(&old);
}

void
atlas_remove_scene(atlas_t *self, uint64_t scene_id)
{
    pthread_rwlock_wrlock(&self->lock);
    const packed_t *old = find_scene(self, scene_id);
    if (old) {
        dense_table_remove(&self->scenes_by_id, table_hash_u64(scene_id), old);
        dense_table_remove(&self->scenes_by_key, table_hash_text(packed_key(old)), old);
        self->access++;
    }
    pthread_rwlock_unlock(&self->lock);
    packed_unref(&old);
}

const packed_t *
atlas_scene(const atlas_t *self, uint64_t scene_id)
{
    lock_to_read(self);
    const packed_t *scene = find_scene(self, scene_id);
    if (scene)
        scene = packed_ref(scene);
    unlock(self);
    return scene;
}

const packed_t *
atlas_scene_named(const atlas_t *self, const struct text *key)
{
    lock_to_read(self);
    const packed_t *scene =
        dense_table_find(&self->scenes_by_key, table_hash_text(key), scene_has_key, key);
    if (scene)
        scene = packed_ref(scene);
    unlock(self);
    return scene;
}

static bool
lets_see(const packed_t *record, const struct caller *caller)
{
    struct opened room;
    const struct scene *scene = scene_of(packed_open(record, &room));
    const struct access_item item = {scene->user, scene->is_public};
    return access_sees(caller, &item);
}

bool
atlas_sees(const atlas_t *self, uint64_t scene_id, const struct caller *caller)
{
    lock_to_read(self);
    const packed_t *scene = find_scene(self, scene_id);
    bool is_seen = scene && lets_see(scene, caller);
    unlock(self);
    return is_seen;
}

uint64_t
atlas_access(const atlas_t *self)
{
    lock_to_read(self);
    uint64_t access = self->access;
    unlock(self);
    return access;
}

// --- devices ---

static bool
device_bearings_has_key(const void *value, const void *key)
{
    return text_equal(&((const struct device_bearings *)value)->key, key);
}

static struct device_bearings *
find_device(const atlas_t *self, const struct text *device)
{
    return table_find(&self->devices, table_hash_text(device), device_bearings_has_key, device);
}

static struct device_bearings *
add_device(atlas_t *self, const struct text *device)
{
    struct device_bearings *found = memory_take_zeroed(sizeof *found + text_size(device) + 1);
    found->key.size = (uint32_t)text_size(device);
    memcpy(found->key.data, text_bytes(device), text_size(device));
    table_add(&self->devices, table_hash_text(device), found);
    return found;
}

static void
drop_bearing(struct device_bearings *self, uint64_t scene_id)
{
    size_t kept = 0;
    for (size_t i = 0; i < self->count; i++)
        if (self->bearings[i].scene_id != scene_id)
            self->bearings[kept++] = self->bearings[i];
    self->count = kept;
}

// Silent bearings are older than all others. Of two with the same time, the one in the scene with
// the smaller id is newer.
static bool
is_newer(const struct bearing *a, const struct bearing *b)
{
    if (a->is_silent != b->is_silent)
        return b->is_silent;
    return a->time_us != b->time_us ? a->time_us > b->time_us : a->scene_id < b->scene_id;
}

static void
insert_bearing(struct device_bearings *self, const struct bearing *bearing)
{
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? self->capacity * 2 : 1; // most are in one scene
        self->bearings = memory_resize(self->bearings, self->capacity * sizeof *self->bearings);
    }
    size_t place = self->count++;
    for (; place > 0 && is_newer(bearing, &self->bearings[place - 1]); place--)
        self->bearings[place] = self->bearings[place - 1];
    self->bearings[place] = *bearing;
}

void
atlas_put_bearing(atlas_t *self, const struct text *device, const struct bearing *bearing)
{
    pthread_rwlock_wrlock(&self->lock);
    struct device_bearings *found = find_device(self, device);
    if (!found)
        found = add_device(self, device);
    drop_bearing(found, bearing->scene_id);
    insert_bearing(found, bearing);
    pthread_rwlock_unlock(&self->lock);
}

void
atlas_remove_bearing(atlas_t *self, const struct text *device, uint64_t scene_id)
{
    pthread_rwlock_wrlock(&self->lock);
    struct device_bearings *found = find_device(self, device);
    if (found)
        drop_bearing(found, scene_id);
    if (found && found->count == 0) {
        table_remove(&self->devices, table_hash_text(device), found);
        device_bearings_destroy(found);
    }
    pthread_rwlock_unlock(&self->lock);
}

size_t
atlas_bearings(const atlas_t *self, const struct text *device, size_t count,
               struct bearing *ret_bearings)
{
    lock_to_read(self);
    const struct device_bearings *known = find_device(self, device);
    size_t copied = 0;
    while (known && copied < count && copied < known->count && !known->bearings[copied].is_silent)
        copied++;
    if (copied)
        memcpy(ret_bearings, known->bearings, copied * sizeof *ret_bearings);
    unlock(self);
    return copied;
}

uint64_t
atlas_session(const atlas_t *self, const struct text *device)
{
    lock_to_read(self);
    const struct device_bearings *found = find_device(self, device);
    uint64_t since_us = found ? found->bearings[0].since_us : 0;
    for (size_t i = 1; found && i < found->count; i++)
        if (found->bearings[i].since_us < since_us)
            since_us = found->bearings[i].since_us;
    unlock(self);
    return since_us;
}

// --- the solution ---

void
atlas_publish(atlas_t *self, solution_t **solution, uint64_t epoch)
{
    pthread_rwlock_wrlock(&self->lock);
    solution_t *old = self->solution;
    self->solution = *solution;
    self->epoch = epoch;
    pthread_rwlock_unlock(&self->lock);
    *solution = NULL;
    solution_unref(&old); // outside of the lock: it may be large
}

solution_t *
atlas_solution(const atlas_t *self, uint64_t *ret_epoch)
{
    lock_to_read(self);
    solution_t *solution = self->solution ? solution_ref(self->solution) : NULL;
    if (ret_epoch)
        *ret_epoch = self->epoch;
    unlock(self);
    return solution;
}

uint64_t
atlas_epoch(const atlas_t *self)
{
    lock_to_read(self);
    uint64_t epoch = self->epoch;
    unlock(self);
    return epoch;
}
