// correction_log.c - corrections by device; those of a device that changed are judged again
// (correction_log.h).
#include "actors/alignment/correction_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/device_sessions.h"
#include "proto/base/memory.h"
#include "proto/config/config_check.h"
#include "proto/records/correction.h"
#include "proto/records/device.h"

// A correction of a device. It is evidence if the solver counts it.
struct logged_correction {
    uint64_t scene_id;
    const frozen_t *record; // one reference
    struct logged_device *device;
    size_t place;              // among the items of the device
    uint64_t evidence_session; // its session in the evidence
    bool is_evidence;
    bool is_stale; // the evidence has an older state of it
};

struct logged_device {
    struct logged_device *next_changed;
    bool is_changed; // since the last update
    struct logged_correction **items;
    size_t count;
    size_t capacity;
    struct text key;
};

static const struct correction_record *
correction_of(const struct logged_correction *self)
{
    return correction_record_of(frozen_record(self->record));
}

// --- devices ---

static bool
logged_device_has_key(const void *value, const void *key)
{
    return text_equal(&((const struct logged_device *)value)->key, key);
}

static struct logged_device *
find_or_create_device(struct correction_log *self, const struct text *key)
{
    uint64_t hash = table_hash_text(key);
    struct logged_device *device = table_find(&self->devices, hash, logged_device_has_key, key);
    if (device)
        return device;
    device = memory_take_zeroed(sizeof *device + text_size(key) + 1);
    device->key.size = (uint32_t)text_size(key);
    memcpy(device->key.data, text_bytes(key), text_size(key));
    table_add(&self->devices, hash, device);
    return device;
}

static void
mark_changed(struct correction_log *self, struct logged_device *device)
{
    if (device->is_changed)
        return;
    device->is_changed = true;
    device->next_changed = self->changed;
    self->changed = device;
}

static void
logged_device_destroy(struct logged_device *self)
{
    free(self->items);
    free(self);
}

// --- corrections ---

// Ids of corrections are unique within a scene.
struct address {
    uint64_t scene_id;
    const struct text *id;
};

static uint64_t
address_hash(const struct address *self)
{
    return table_hash_u64(self->scene_id ^ table_hash_text(self->id));
}

static bool
logged_correction_is_at(const void *value, const void *key)
{
    const struct logged_correction *logged = value;
    const struct address *address = key;
    return logged->scene_id == address->scene_id &&
           text_equal(correction_of(logged)->id, address->id);
}

static void
add(struct correction_log *self, const struct address *address, const frozen_t *record)
{
    const struct correction_record *correction = correction_record_of(frozen_record(record));
    struct logged_device *device = find_or_create_device(self, correction->device);
    if (device->count == device->capacity) {
        device->capacity = device->capacity ? device->capacity * 2 : 4;
        device->items = memory_resize(device->items, device->capacity * sizeof *device->items);
    }
    struct logged_correction *logged = memory_take_zeroed(sizeof *logged);
    *logged = (struct logged_correction){.scene_id = address->scene_id,
                                         .record = record_ref(record),
                                         .device = device,
                                         .place = device->count};
    device->items[device->count++] = logged;
    table_add(&self->corrections, address_hash(address), logged);
    mark_changed(self, device);
}

static void
replace(struct correction_log *self, struct logged_correction *logged, const frozen_t *record)
{
    const frozen_t *old = logged->record;
    logged->record = record_ref(record);
    logged->is_stale = true;
    record_unref(&old);
    mark_changed(self, logged->device);
}

static void
drop(struct correction_log *self, const struct address *address, struct logged_correction *logged)
{
    struct logged_device *device = logged->device;
    if (logged->is_evidence)
        evidence_remove(self->evidence, text_chars(correction_of(logged)->id));
    struct logged_correction *last = device->items[--device->count];
    device->items[logged->place] = last;
    last->place = logged->place;
    table_remove(&self->corrections, address_hash(address), logged);
    record_unref(&logged->record);
    free(logged);
    mark_changed(self, device);
}

void
correction_log_apply(struct correction_log *self, const struct correction_change *change)
{
    const struct correction_record *correction =
        correction_record_of(frozen_record(change->correction));
    const struct address address = {change->scene_id, correction->id};
    struct logged_correction *logged =
        table_find(&self->corrections, address_hash(&address), logged_correction_is_at, &address);
    if (change->is_gone && logged)
        drop(self, &address, logged);
    else if (!change->is_gone && logged)
        replace(self, logged, change->correction);
    else if (!change->is_gone)
        add(self, &address, change->correction);
}

// --- what counts ---

static void
put_evidence(struct correction_log *self, struct logged_correction *logged, uint64_t session)
{
    const struct correction_record *record = correction_of(logged);
    const struct pose *pose = (const struct pose *)(const void *)record->transform;
    struct correction correction = {
        .scene_id = logged->scene_id,
        .device = table_hash_text(record->device),
        .session = session,
        .user = text_size(record->user) ? table_hash_text(record->user) : 0,
        .pose = rigid_of_device_pose(pose->translation, pose->rotation),
        .sigma_t_m = record->sigma_t_m,
        .sigma_r_rad = record->sigma_r_rad,
        .method = text_size(record->method) ? table_hash_text(record->method) : 0,
        .half_life_s = half_life_s(self->half_lives, text_chars(record->method)),
        .time_us = (uint64_t)record->time_us,
        .is_pinned = record->is_pinned,
    };
    snprintf(correction.id, sizeof correction.id, "%s", text_chars(record->id));
    evidence_put(self->evidence, &correction);
    logged->is_evidence = true;
    logged->is_stale = false;
    logged->evidence_session = session;
}

static struct statement *
statements_of(const struct logged_device *device)
{
    struct statement *statements = memory_take(device->count * sizeof *statements);
    for (size_t i = 0; i < device->count; i++) {
        const struct correction_record *record = correction_of(device->items[i]);
        statements[i] = (struct statement){
            .scene_id = device->items[i]->scene_id,
            .time_us = (uint64_t)record->time_us,
            .since_us = (uint64_t)record->since_us,
            .until_us = (uint64_t)record->until_us,
            .owner = &device->items[i],
        };
    }
    return statements;
}

// Removes what does not count any more before it adds what replaces it.
static void
update_device(struct correction_log *self, struct logged_device *device)
{
    struct statement *statements = statements_of(device);
    device_sessions_judge(statements, device->count, table_hash_text(&device->key));
    for (size_t i = 0; i < device->count; i++) {
        struct logged_correction *logged = *(struct logged_correction *const *)statements[i].owner;
        if (logged->is_evidence && !statements[i].counts) {
            evidence_remove(self->evidence, text_chars(correction_of(logged)->id));
            logged->is_evidence = false;
        }
    }
    for (size_t i = 0; i < device->count; i++) {
        struct logged_correction *logged = *(struct logged_correction *const *)statements[i].owner;
        uint64_t session = statements[i].session;
        bool is_new =
            !logged->is_evidence || logged->is_stale || logged->evidence_session != session;
        if (statements[i].counts && is_new)
            put_evidence(self, logged, session);
    }
    free(statements);
}

void
correction_log_update(struct correction_log *self)
{
    for (struct logged_device *device = self->changed, *next; device; device = next) {
        next = device->next_changed;
        device->is_changed = false;
        if (device->count > 0) {
            update_device(self, device);
            continue;
        }
        table_remove(&self->devices, table_hash_text(&device->key), device);
        logged_device_destroy(device);
    }
    self->changed = NULL;
}

void
correction_log_finish(struct correction_log *self)
{
    size_t cursor = 0;
    for (struct logged_correction *logged;
         (logged = table_next(&self->corrections, &cursor)) != NULL;) {
        record_unref(&logged->record);
        free(logged);
    }
    cursor = 0;
    for (struct logged_device *device; (device = table_next(&self->devices, &cursor)) != NULL;)
        logged_device_destroy(device);
    table_finish(&self->corrections);
    table_finish(&self->devices);
}
