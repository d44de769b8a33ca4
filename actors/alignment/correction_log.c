// correction_log.c - corrections by device, judged again where something changed (correction_log.h).
#include "actors/alignment/correction_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actors/alignment/device_sessions.h"
#include "proto/base/memory.h"
#include "proto/config/config_check.h"
#include "proto/records/correction.h"
#include "proto/records/device.h"

// A correction, and what the evidence has of it.
struct known {
    uint64_t scene_id;
    const frozen_t *record; // one reference
    struct logged_correction *logged;
    size_t place;          // among its corrections
    uint64_t told_session; // where it is told
    bool is_told;          // the evidence has it
    bool is_stale;         // in another state
};

struct logged_correction {
    struct logged_correction *next_unheard;
    bool is_unheard;
    struct known **items;
    size_t count;
    size_t capacity;
    struct text key;
};

static const struct correction_record *
correction_of(const struct known *self)
{
    return (const struct correction_record *)(const void *)frozen_record(self->record);
}

// --- devices ---

static bool
logged_has_key(const void *value, const void *key)
{
    return text_equal(&((const struct logged_correction *)value)->key, key);
}

static struct logged_correction *
logged_of(struct correction_log *self, const struct text *device)
{
    uint64_t hash = table_hash_text(device);
    struct logged_correction *logged = table_find(&self->devices, hash, logged_has_key, device);
    if (logged)
        return logged;
    logged = memory_take_zeroed(sizeof *logged + text_size(device) + 1);
    logged->key.size = (uint32_t)text_size(device);
    memcpy(logged->key.data, text_chars(device), text_size(device));
    table_add(&self->devices, hash, logged);
    return logged;
}

static void
must_hear(struct correction_log *self, struct logged_correction *logged)
{
    if (logged->is_unheard)
        return;
    logged->is_unheard = true;
    logged->next_unheard = self->unheard;
    self->unheard = logged;
}

static void
logged_destroy(struct logged_correction *self)
{
    free(self->items);
    free(self);
}

// --- corrections ---

// What a correction is found by: ids are those of a scene.
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
known_is_at(const void *value, const void *key)
{
    const struct known *known = value;
    const struct address *address = key;
    return known->scene_id == address->scene_id &&
           text_equal(correction_of(known)->id, address->id);
}

static void
add(struct correction_log *self, const struct address *address, const frozen_t *record)
{
    const struct correction_record *correction =
        (const struct correction_record *)(const void *)frozen_record(record);
    struct logged_correction *logged = logged_of(self, correction->device);
    if (logged->count == logged->capacity) {
        logged->capacity = logged->capacity ? logged->capacity * 2 : 4;
        logged->items = memory_resize(logged->items, logged->capacity * sizeof *logged->items);
    }
    struct known *known = memory_take_zeroed(sizeof *known);
    *known = (struct known){.scene_id = address->scene_id,
                            .record = record_ref(record),
                            .logged = logged,
                            .place = logged->count};
    logged->items[logged->count++] = known;
    table_add(&self->known, address_hash(address), known);
    must_hear(self, logged);
}

static void
replace(struct correction_log *self, struct known *known, const frozen_t *record)
{
    const frozen_t *old = known->record;
    known->record = record_ref(record);
    known->is_stale = true;
    record_unref(&old);
    must_hear(self, known->logged);
}

static void
drop(struct correction_log *self, const struct address *address, struct known *known)
{
    struct logged_correction *logged = known->logged;
    if (known->is_told)
        evidence_remove(self->evidence, text_chars(correction_of(known)->id));
    struct known *last = logged->items[--logged->count];
    logged->items[known->place] = last;
    last->place = known->place;
    table_remove(&self->known, address_hash(address), known);
    record_unref(&known->record);
    free(known);
    must_hear(self, logged);
}

void
correction_log_hear(struct correction_log *self, const struct correction_change *item)
{
    const struct correction_record *correction =
        (const struct correction_record *)(const void *)frozen_record(item->correction);
    const struct address address = {item->scene_id, correction->id};
    struct known *known = table_find(&self->known, address_hash(&address), known_is_at, &address);
    if (item->is_gone && known)
        drop(self, &address, known);
    else if (!item->is_gone && known)
        replace(self, known, item->correction);
    else if (!item->is_gone)
        add(self, &address, item->correction);
}

// --- what counts ---

static void
tell(struct correction_log *self, struct known *known, uint64_t session)
{
    const struct correction_record *record = correction_of(known);
    const struct pose *pose = (const struct pose *)(const void *)record->transform;
    struct correction correction = {
        .scene_id = known->scene_id,
        .device = table_hash_text(record->device),
        .session = session,
        .user = text_size(record->user) ? table_hash_text(record->user) : 0,
        .pose = rigid_of_device_pose(pose->translation, pose->rotation),
        .sigma_t_m = record->sigma_t_m,
        .sigma_r_rad = record->sigma_r_rad,
        .half_life_s = half_life_s(self->half_lives, text_chars(record->method)),
        .time_us = (uint64_t)record->time_us,
        .is_pinned = record->is_pinned,
    };
    snprintf(correction.id, sizeof correction.id, "%s", text_chars(record->id));
    evidence_put(self->evidence, &correction);
    known->is_told = true;
    known->is_stale = false;
    known->told_session = session;
}

static struct statement *
statements_of(const struct logged_correction *logged)
{
    struct statement *statements = memory_take(logged->count * sizeof *statements);
    for (size_t i = 0; i < logged->count; i++) {
        const struct correction_record *record = correction_of(logged->items[i]);
        statements[i] = (struct statement){
            .scene_id = logged->items[i]->scene_id,
            .time_us = (uint64_t)record->time_us,
            .since_us = (uint64_t)record->since_us,
            .until_us = (uint64_t)record->until_us,
            .whose = &logged->items[i],
        };
    }
    return statements;
}

// What counts no more leaves before what takes its place comes.
static void
hear_out(struct correction_log *self, struct logged_correction *logged)
{
    struct statement *statements = statements_of(logged);
    device_sessions_judge(statements, logged->count, table_hash_text(&logged->key));
    for (size_t i = 0; i < logged->count; i++) {
        struct known *known = *(struct known *const *)statements[i].whose;
        if (known->is_told && !statements[i].counts) {
            evidence_remove(self->evidence, text_chars(correction_of(known)->id));
            known->is_told = false;
        }
    }
    for (size_t i = 0; i < logged->count; i++) {
        struct known *known = *(struct known *const *)statements[i].whose;
        uint64_t session = statements[i].session;
        bool is_new = !known->is_told || known->is_stale || known->told_session != session;
        if (statements[i].counts && is_new)
            tell(self, known, session);
    }
    free(statements);
}

void
correction_log_update(struct correction_log *self)
{
    for (struct logged_correction *logged = self->unheard, *next; logged; logged = next) {
        next = logged->next_unheard;
        logged->is_unheard = false;
        if (logged->count > 0) {
            hear_out(self, logged);
            continue;
        }
        table_remove(&self->devices, table_hash_text(&logged->key), logged);
        logged_destroy(logged);
    }
    self->unheard = NULL;
}

void
correction_log_finish(struct correction_log *self)
{
    size_t cursor = 0;
    for (struct known *known; (known = table_next(&self->known, &cursor)) != NULL;) {
        record_unref(&known->record);
        free(known);
    }
    cursor = 0;
    for (struct logged_correction *logged; (logged = table_next(&self->devices, &cursor)) != NULL;)
        logged_destroy(logged);
    table_finish(&self->known);
    table_finish(&self->devices);
}
