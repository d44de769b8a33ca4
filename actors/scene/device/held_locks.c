// held_locks.c - ends the locks of devices that left a scene: with the departure what fits into its
// commit, the rest in slices, one scene after another. Scenes that cannot be read, or written, keep
// their place in the line and are tried again.

#include "actors/scene/device/held_locks.h"

#include "actors/scene/entity/locks.h"
#include "actors/scene/lock_index.h"
#include "actors/scene/lock_ledger.h"
#include "actors/scene/scene_cache.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_holdings.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/feed/event.h"
#include "proto/records/device.h"

enum {
    RELEASED_PER_COMMIT = 300,
    UNMARKED_PER_COMMIT = 300,
    RETRY_MS = 2000, // after a scene could not be read or written
};

// --- releasing ---

// What a slice releases, and how much of its batch it leaves for what comes behind it.
struct release {
    struct shard *shard;
    struct message *message;
    struct scene_state *scene;
    struct record_set *leaving;
    size_t kept_operations, kept_bytes;
    size_t released;
    bool is_left; // a lock did not fit
};

// The object as it will be where a leaving device will hold it, or NULL.
static const frozen_t *
held(const struct release *self, const frozen_t *object)
{
    const struct change *change =
        staging_latest(&self->shard->staging, KEY_OBJECT, self->scene, frozen_key(object));
    const frozen_t *record = change ? change->record : object;
    const struct text *owner = record ? lock_index_holder(record) : NULL;
    return owner && record_set_find(self->leaving, owner) ? record : NULL;
}

static void
release(struct release *self, const frozen_t *object)
{
    bool fits =
        self->released < RELEASED_PER_COMMIT &&
        staging_has_room(&self->shard->staging,
                         room_for_records(1 + HOLDING_WRITES + LOCK_WRITES + self->kept_operations,
                                          record_size(object) + WRITE_BYTES + self->kept_bytes));
    if (!fits) {
        self->is_left = true;
        return;
    }
    lock_release(self->shard, self->message, self->scene, object, REASON_DEVICE_GONE);
    self->released++;
}

// The same for locks that are not durable yet. What this stages is free, so the loop ends.
static void
release_staged(struct release *self, const struct stage *stage)
{
    for (const struct change *change = stage->first; change && !self->is_left;
         change = change->next) {
        bool is_object = change->tag == KEY_OBJECT && change->owner == self->scene &&
                         change->record && change->kind == CHANGE_STORED;
        const frozen_t *object = is_object ? held(self, change->record) : NULL;
        if (object)
            release(self, object);
    }
}

static void
release_of(struct release *self, const struct text *device)
{
    size_t count = 0;
    struct record_set *locked = lock_index_held_by(&self->scene->locks, device);
    const frozen_t *const *objects = locked ? record_set_items(locked, &count) : NULL;
    for (size_t i = 0; i < count && !self->is_left; i++) {
        const frozen_t *object = held(self, objects[i]);
        if (object)
            release(self, object);
    }
}

static void
release_all(struct release *self)
{
    size_t count;
    const frozen_t *const *devices = record_set_items(self->leaving, &count);
    for (size_t i = 0; i < count && !self->is_left; i++)
        release_of(self, frozen_key(devices[i]));
    release_staged(self, &self->shard->staging.committing);
    release_staged(self, &self->shard->staging.filling);
}

// --- marks ---

static const frozen_t *
mark_latest(struct shard *self, struct scene_state *scene, const struct text *device)
{
    const struct change *change = staging_latest(&self->staging, KEY_LEAVING, scene, device);
    return change ? change->record : record_set_find(&scene->leaving, device);
}

static void
stage_mark(struct shard *self, struct message *message, struct scene_state *scene,
           const struct text *device)
{
    struct record *mark = record_new(&message->arena, &device_schema);
    record_set_text(mark, DEVICE_KEY, device);
    shard_stage_put(self, scene, KEY_LEAVING, mark, mark_latest(self, scene, device), 0);
}

void
held_locks_end(struct shard *self, struct message *message, struct scene_state *scene,
               struct record_set *leaving, size_t beside)
{
    size_t count;
    const frozen_t *const *devices = record_set_items(leaving, &count);
    struct release release = {
        .shard = self,
        .message = message,
        .scene = scene,
        .leaving = leaving,
        .kept_operations = count + (beside > 0),
        .kept_bytes = count * MARK_BYTES + beside,
        .is_left = scene->cache_state != SCENE_IN_MEMORY,
    };
    if (!release.is_left)
        release_all(&release);
    for (size_t i = 0; release.is_left && i < count; i++)
        stage_mark(self, message, scene, frozen_key(devices[i]));
}

void
held_locks_keep(struct shard *self, struct scene_state *scene, const struct text *device)
{
    const frozen_t *mark = mark_latest(self, scene, device);
    if (mark)
        shard_stage_delete(self, scene, KEY_LEAVING, mark, 0);
}

// Stages that the scene's devices, all of whose locks end with this commit, have left.
static fallible
stage_unmarked(struct shard *self, struct message *message, struct scene_state *scene)
{
    size_t count;
    const frozen_t *const *marks = record_set_items(&scene->leaving, &count);
    if (count > UNMARKED_PER_COMMIT)
        count = UNMARKED_PER_COMMIT;
    TRY(shard_make_room(self, message, count, (count + 1) * sizeof(struct key)));
    for (size_t i = 0; i < count; i++)
        if (!staging_latest(&self->staging, KEY_LEAVING, scene, frozen_key(marks[i])))
            shard_stage_delete(self, scene, KEY_LEAVING, marks[i], 0);
    return OK;
}

// --- slices ---

static fallible
stage_slice(struct shard *self, struct message *message, struct scene_state *scene)
{
    if (!scene->is_indexed || scene_is_deleting(self, scene))
        return OK; // its sweep removes all
    TRY(scene_cache_need(self, scene, message));
    TRY(shard_make_room(self, message, 1, MARK_BYTES));
    struct release release = {
        .shard = self, .message = message, .scene = scene, .leaving = &scene->leaving};
    release_all(&release);
    if (release.is_left && release.released == 0) { // no room beside what others have staged
        staging_wait(&self->staging, &message);
        return PARKED;
    }
    if (!release.is_left)
        TRY(stage_unmarked(self, message, scene));
    return shard_answer_durable(self, message);
}

enum error
held_locks_release(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    enum error error = stage_slice(self, message, self->releasing);
    return error == PARKED ? PARKED : held_locks_released(actor, message, error);
}

static void
queue_release(struct shard *self, struct scene_state *scene)
{
    *self->release_queue_end = scene;
    self->release_queue_end = &scene->next_release;
    scene->next_release = NULL;
}

static void
report(const struct shard *self, struct scene_state *scene, enum error error)
{
    struct fault fault;
    fault_take(error, &fault);
    log_warning("locks_not_released", "actor=%s scene_id=%016llx retry_ms=%d reason=\"%s\"",
                self->base.name, (unsigned long long)scene->id, RETRY_MS, fault.detail);
    scene->release_ms = clock_deadline_ms(RETRY_MS);
}

enum error
held_locks_released(actor_t *actor, struct message *message, enum error error)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene = self->releasing;
    (void)message;
    self->releasing = NULL;
    if (error != OK)
        report(self, scene, error);
    if (scene->is_indexed && !scene_is_deleting(self, scene) &&
        record_set_count(&scene->leaving) > 0) {
        queue_release(self, scene);
        return OK;
    }
    scene->is_release_queued = false;
    scene_release(&scene);
    return OK;
}

// Takes the first scene that is due out of the queue, or returns NULL and says when one will be.
static struct scene_state *
next_due(struct shard *self)
{
    self->release_ms = 0;
    for (struct scene_state **place = &self->release_queue; *place;
         place = &(*place)->next_release) {
        struct scene_state *scene = *place;
        if (!scene->release_ms || clock_left_ms(scene->release_ms) == 0) {
            *place = scene->next_release;
            if (!*place)
                self->release_queue_end = place;
            scene->release_ms = 0;
            return scene;
        }
        if (!self->release_ms || scene->release_ms < self->release_ms)
            self->release_ms = scene->release_ms;
    }
    return NULL;
}

void
held_locks_turn(struct shard *self)
{
    if (self->releasing || !self->release_queue || self->base.stopping)
        return;
    self->releasing = next_due(self);
    if (self->releasing)
        actor_dispatch(&self->base, message_create(LOCKS_RELEASE));
}

// --- what is durable ---

void
held_locks_known(struct shard *self, struct scene_state *scene, const frozen_t *mark)
{
    record_set_put(&scene->leaving, mark);
    if (scene->is_release_queued)
        return;
    scene->is_release_queued = true;
    scene_hold(scene);
    queue_release(self, scene);
}

void
held_locks_committed(struct shard *self, const struct change *change)
{
    if (change->record)
        held_locks_known(self, change->owner, change->record);
    else
        record_set_remove(&((struct scene_state *)change->owner)->leaving,
                          frozen_key(change->before));
}

void
held_locks_finish(struct shard *self)
{
    if (self->releasing)
        scene_release(&self->releasing);
    for (struct scene_state *scene = self->release_queue, *next; scene; scene = next) {
        next = scene->next_release;
        scene_release(&scene);
    }
    self->release_queue = NULL;
    self->release_queue_end = &self->release_queue;
}
