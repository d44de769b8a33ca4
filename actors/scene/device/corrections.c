// corrections.c - what devices said of where they stand, kept beside the devices of each scene. A
// correction is written in the commit of the device that it is about. The solver hears of it when
// it is durable.

#include "actors/scene/device/corrections.h"

#include <sodium.h>

#include "actors/alignment/correction_changes.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/records/correction.h"
#include "proto/records/device.h"

const frozen_t *
correction_latest(const struct shard *self, const struct scene_state *scene, const struct text *id)
{
    if (text_size(id) == 0)
        return NULL;
    const struct change *change = staging_latest(&self->staging, KEY_EVIDENCE, scene, id);
    return change ? change->record : record_set_find(&scene->evidence, id);
}

// --- a new correction ---

// Later than the correction before, also where the clock was set back.
static int64_t
time_after(const frozen_t *before)
{
    int64_t now_us = (int64_t)clock_calendar_us();
    return before && correction_record_of(frozen_record(before))->time_us >= now_us
               ? correction_record_of(frozen_record(before))->time_us + 1
               : now_us;
}

// In the order of their times: 13 hex digits of microseconds reach the year 2112.
static const struct text *
id_new(struct arena *arena, int64_t time_us)
{
    uint64_t random;
    randombytes_buf(&random, sizeof random);
    return text_format(arena, "%013llx%011llx",
                       (unsigned long long)time_us & UINT64_C(0xfffffffffffff),
                       (unsigned long long)random & UINT64_C(0xfffffffffff));
}

// The loose correction that the device's transform and accuracy are, from now on.
static struct correction_record *
correction_made(struct message *message, const struct device *device, int64_t time_us)
{
    struct arena *arena = &message->arena;
    const struct accuracy *accuracy =
        (const struct accuracy *)(const void *)device_rare_of(device)->accuracy;
    struct record *record = record_new(arena, &correction_schema);
    struct correction_record *self = (struct correction_record *)(void *)record;
    record_set_text(record, CORRECTION_ID, id_new(arena, time_us));
    record_set_text(record, CORRECTION_DEVICE, device->key);
    if (message->caller.user[0])
        record_set_text(record, CORRECTION_USER, text_from(arena, message->caller.user));
    if (accuracy && text_size(accuracy->method))
        record_set_text(record, CORRECTION_METHOD, accuracy->method);
    self->transform = device_rare_of(device)->transform;
    record_mark(record, CORRECTION_TRANSFORM);
    device_sigmas(device, &self->sigma_t_m, &self->sigma_r_rad);
    record_mark(record, CORRECTION_SIGMA_T);
    record_mark(record, CORRECTION_SIGMA_R);
    record_set_integer(record, CORRECTION_TIME, time_us);
    record_set_integer(record, CORRECTION_SINCE, device->since_us);
    return self;
}

// Stages the removal of the oldest `count` of these corrections, which have no pin. Those with a
// staged change stay.
static unsigned
forget_oldest(struct shard *self, struct scene_state *scene, const frozen_t *const *items,
              size_t all, unsigned count)
{
    unsigned forgotten = 0;
    for (size_t i = 0; i < all && forgotten < count; i++) {
        if (staging_latest(&self->staging, KEY_EVIDENCE, scene, frozen_key(items[i])))
            continue;
        shard_stage_delete(self, scene, KEY_EVIDENCE, items[i], 0);
        forgotten++;
    }
    return forgotten;
}

// Removes two for one, which makes up for what several commits in a row added.
static void
make_place(struct shard *self, struct scene_state *scene, const struct text *device)
{
    enum { AT_MOST = CORRECTION_WRITES - 1 };
    struct device_evidence *said = &scene->device_evidence;
    unsigned forgotten = 0;
    size_t all, count;
    device_evidence_of(said, device, &all);
    const frozen_t *const *items = device_evidence_unpinned_of(said, device, &count);
    if (all >= LIMIT_DEVICE_EVIDENCE)
        forgotten = forget_oldest(self, scene, items, count, AT_MOST);
    items = device_evidence_unpinned(said, &count);
    if (record_set_count(&scene->evidence) >= LIMIT_SCENE_EVIDENCE)
        forget_oldest(self, scene, items, count, AT_MOST - forgotten);
}

void
correction_stage(struct shard *self, struct message *message, struct scene_state *scene,
                 struct record *device)
{
    const struct device *stood = device_of(device);
    int64_t time_us = time_after(correction_latest(self, scene, device_rare_of(stood)->evidence));
    if (!stood->since_us)
        record_set_integer(device, DEVICE_SINCE, time_us);
    const struct correction_record *correction = correction_made(message, stood, time_us);
    record_set_text(device, DEVICE_EVIDENCE, correction->id);
    make_place(self, scene, stood->key);
    shard_stage_put(self, scene, KEY_EVIDENCE, &correction->base, NULL, 0);
}

// The newest correction of a registration, `but` left out: of a device that registered at
// `since_us`. NULL where there is none any more.
static const frozen_t *
newest_of_registration(const struct shard *self, struct scene_state *scene,
                       const struct text *device, int64_t since_us, const frozen_t *but)
{
    size_t count;
    const frozen_t *const *items = device_evidence_of(&scene->device_evidence, device, &count);
    while (count-- > 0) {
        const frozen_t *latest = correction_latest(self, scene, frozen_key(items[count]));
        if (latest && correction_record_of(frozen_record(latest))->since_us == since_us &&
            (!but || !text_equal(frozen_key(latest), frozen_key(but))))
            return latest;
    }
    return NULL;
}

static void
stage_until(struct shard *self, struct message *message, struct scene_state *scene,
            const frozen_t *before, int64_t until_us)
{
    struct record *ended = record_copy(&message->arena, &correction_schema, frozen_record(before));
    int64_t time_us = correction_record_of(frozen_record(before))->time_us;
    record_set_integer(ended, CORRECTION_UNTIL, until_us > time_us ? until_us : time_us + 1);
    shard_stage_put(self, scene, KEY_EVIDENCE, ended, before, 0);
}

// The correction that says when the registration of the device ended, or NULL.
static const frozen_t *
last_of_registration(const struct shard *self, struct scene_state *scene,
                     const struct record *device)
{
    const struct device *left = device_of(device);
    const frozen_t *last = correction_latest(self, scene, device_rare_of(left)->evidence);
    if (last || text_size(device_rare_of(left)->evidence) == 0)
        return last;
    // It was removed: the one before it ends as well.
    return newest_of_registration(self, scene, left->key, left->since_us, NULL);
}

size_t
correction_end_bytes(const struct shard *self, struct scene_state *scene,
                     const struct record *device)
{
    const frozen_t *last = last_of_registration(self, scene, device);
    return last ? record_size(last) : 0;
}

void
correction_stage_end(struct shard *self, struct message *message, struct scene_state *scene,
                     const struct record *device)
{
    const frozen_t *last = last_of_registration(self, scene, device);
    if (last)
        stage_until(self, message, scene, last, (int64_t)clock_calendar_us());
}

void
correction_stage_hand_down(struct shard *self, struct message *message, struct scene_state *scene,
                           const frozen_t *removed)
{
    const struct correction_record *gone = correction_record_of(frozen_record(removed));
    const frozen_t *heir =
        gone->until_us ? newest_of_registration(self, scene, gone->device, gone->since_us, removed)
                       : NULL;
    if (heir)
        stage_until(self, message, scene, heir, gone->until_us);
}

// --- what is durable ---

void
correction_committed(struct shard *self, const struct change *change)
{
    struct scene_state *scene = change->owner;
    size_t before = record_set_count(&scene->evidence);
    scene->was_aligned = true;
    if (change->record) {
        record_set_put(&scene->evidence, change->record);
        device_evidence_put(&scene->device_evidence, change->record);
    } else {
        record_set_remove(&scene->evidence, frozen_key(change->before));
        device_evidence_remove(&scene->device_evidence, change->before);
    }
    self->corrections += record_set_count(&scene->evidence) - before;
    correction_changes_add(&self->changes, scene->id,
                           change->record ? change->record : change->before, !change->record);
}

void
correction_known(struct shard *self, struct scene_state *scene, const frozen_t *correction)
{
    scene->was_aligned = true;
    record_set_put(&scene->evidence, correction);
    device_evidence_put(&scene->device_evidence, correction);
    self->corrections++;
    correction_changes_add(&self->changes, scene->id, correction, false);
}

void
correction_gone_with_scene(struct shard *self, struct scene_state *scene,
                           const frozen_t *correction)
{
    device_evidence_remove(&scene->device_evidence, correction);
    correction_changes_add(&self->changes, scene->id, correction, true);
    self->corrections--;
}

void
corrections_device_here(struct shard *self, const struct scene_state *scene, const frozen_t *device)
{
    struct opened room;
    const struct text *evidence = frozen_has(device, DEVICE_EVIDENCE)
                                      ? device_rare_of(device_open(device, &room))->evidence
                                      : NULL;
    const frozen_t *newest =
        text_size(evidence) ? record_set_find(&scene->evidence, evidence) : NULL;
    uint64_t time_us = newest ? (uint64_t)correction_record_of(frozen_record(newest))->time_us : 0;
    atlas_put_device(self->settings.atlas, scene->id, device, time_us);
}

void
corrections_device_gone(struct shard *self, const struct scene_state *scene,
                        const struct text *device)
{
    atlas_remove_device(self->settings.atlas, scene->id, device);
}

void
corrections_tell(struct shard *self)
{
    if (!self->changes)
        return;
    struct message *message = message_create(EVIDENCE);
    message->parcel = &self->changes->base;
    if (mailbox_send(self->base.mailbox, actor_mailbox(SOLVER_ACTOR), &message) == OK) {
        self->changes = NULL;
        return;
    }
    message->parcel = NULL; // its queue is full: the next turn sends it
    message_destroy(&message);
}
