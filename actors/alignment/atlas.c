// atlas.c - three tables behind one lock that prefers writers to new readers (atlas.h). Where
// devices stand is read from their records, which scene actors have in memory anyway.
#define _GNU_SOURCE // pthread_rwlockattr_setkind_np
#include "actors/alignment/atlas.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/dense_table.h"
#include "proto/base/memory.h"
#include "proto/base/table.h"
#include "proto/message/access_item.h"
#include "proto/records/device.h"
#include "proto/records/scene.h"

struct atlas {
    pthread_rwlock_t lock;
    struct dense_table scenes_by_id; // const packed_t *, one reference: millions
    struct dense_table scenes_by_key;
    struct table devices; // the first struct registration of each, by key
    uint64_t access;
    solution_t *solution;
    uint64_t epoch;
};

// A device in a scene. Those who did not say where they stand are last, the others the newest
// first.
struct registration {
    const frozen_t *device; // one reference
    uint64_t scene_id;
    struct registration *next; // of the same device
    uint64_t time_us[];        // one, of a device that said where it stands
};

_Static_assert(sizeof(struct registration) == 24, "each registered device has one");

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
registration_destroy(struct registration *self)
{
    record_unref(&self->device);
    free(self);
}

static void
registrations_destroy(struct registration *first)
{
    while (first) {
        struct registration *next = first->next;
        registration_destroy(first);
        first = next;
    }
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
    for (struct registration *first; (first = table_next(&atlas->devices, &cursor)) != NULL;)
        registrations_destroy(first);
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
is_of_device(const void *value, const void *key)
{
    return text_equal(frozen_key(((const struct registration *)value)->device), key);
}

static struct registration *
find_device(const atlas_t *self, const struct text *device)
{
    return table_find(&self->devices, table_hash_text(device), is_of_device, device);
}

static bool
is_silent(const struct registration *self)
{
    return !frozen_has(self->device, DEVICE_TRANSFORM);
}

static uint64_t
time_of(const struct registration *self)
{
    return is_silent(self) ? 0 : self->time_us[0];
}

// Of two with the same time, the one in the scene with the smaller id is newer.
static bool
is_newer(const struct registration *a, const struct registration *b)
{
    if (is_silent(a) != is_silent(b))
        return is_silent(b);
    return time_of(a) != time_of(b) ? time_of(a) > time_of(b) : a->scene_id < b->scene_id;
}

static struct registration *
registration_create(uint64_t scene_id, const frozen_t *device, uint64_t time_us)
{
    bool is_spoken = frozen_has(device, DEVICE_TRANSFORM);
    struct registration *self =
        memory_take(sizeof *self + (is_spoken ? sizeof self->time_us[0] : 0));
    *self = (struct registration){.device = record_ref(device), .scene_id = scene_id};
    if (is_spoken)
        self->time_us[0] = time_us;
    return self;
}

// Takes that of a scene out of the list, or returns NULL.
static struct registration *
list_take(struct registration **first, uint64_t scene_id)
{
    struct registration **place = first;
    while (*place && (*place)->scene_id != scene_id)
        place = &(*place)->next;
    struct registration *taken = *place;
    if (taken)
        *place = taken->next;
    return taken;
}

static void
list_insert(struct registration **first, struct registration *added)
{
    struct registration **place = first;
    while (*place && !is_newer(added, *place))
        place = &(*place)->next;
    added->next = *place;
    *place = added;
}

// The list of a device that began with `before` (NULL = it was empty) begins with `first` now.
static void
enter_list(atlas_t *self, const struct text *device, struct registration *before,
           struct registration *first)
{
    uint64_t hash = table_hash_text(device);
    if (!before)
        table_add(&self->devices, hash, first);
    else if (!first)
        table_remove(&self->devices, hash, before);
    else if (before != first)
        table_replace(&self->devices, hash, before, first);
}

void
atlas_put_device(atlas_t *self, uint64_t scene_id, const frozen_t *device, uint64_t time_us)
{
    struct registration *added = registration_create(scene_id, device, time_us);
    pthread_rwlock_wrlock(&self->lock);
    struct registration *before = find_device(self, frozen_key(device)), *first = before;
    struct registration *old = list_take(&first, scene_id);
    list_insert(&first, added);
    enter_list(self, frozen_key(device), before, first);
    pthread_rwlock_unlock(&self->lock);
    if (old)
        registration_destroy(old);
}

void
atlas_remove_device(atlas_t *self, uint64_t scene_id, const struct text *device)
{
    pthread_rwlock_wrlock(&self->lock);
    struct registration *before = find_device(self, device), *first = before;
    struct registration *old = list_take(&first, scene_id);
    if (before)
        enter_list(self, device, before, first);
    pthread_rwlock_unlock(&self->lock);
    if (old)
        registration_destroy(old);
}

static struct bearing
bearing_of(const struct registration *self)
{
    struct opened room;
    const struct device *device = device_open(self->device, &room);
    const struct pose *pose = (const struct pose *)(const void *)device_rare_of(device)->transform;
    struct bearing bearing = {
        .scene_id = self->scene_id,
        .time_us = self->time_us[0],
        .pose = rigid_of_device_pose(pose->translation, pose->rotation),
    };
    device_sigmas(device, &bearing.sigma_t_m, &bearing.sigma_r_rad);
    return bearing;
}

size_t
atlas_bearings(const atlas_t *self, const struct text *device, size_t count,
               struct bearing *ret_bearings)
{
    size_t written = 0;
    lock_to_read(self);
    const struct registration *next = find_device(self, device);
    for (; next && written < count && !is_silent(next); next = next->next)
        ret_bearings[written++] = bearing_of(next);
    unlock(self);
    return written;
}

uint64_t
atlas_session(const atlas_t *self, const struct text *device)
{
    lock_to_read(self);
    uint64_t earliest_us = 0;
    for (const struct registration *next = find_device(self, device); next; next = next->next) {
        struct opened room;
        uint64_t since_us = (uint64_t)device_open(next->device, &room)->since_us;
        if (earliest_us == 0 || since_us < earliest_us)
            earliest_us = since_us;
    }
    unlock(self);
    return earliest_us;
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
