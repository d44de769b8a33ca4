// scene_relations.c - a table of relations by both scenes and by user (scene_relations.h).
#include "actors/alignment/scene_relations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "actors/runtime/access.h"
#include "proto/base/memory.h"
#include "proto/records/device.h"

enum {
    KEPT_AT_MOST = 1024,
    NEW_OF_ONE_ANSWER = 8, // each takes milliseconds in a large component
};

// Callers who may read all scenes share their relations.
struct scene_relation_key {
    uint64_t from;
    uint64_t to;
    char user[USER_ID_SIZE]; // "": may read all scenes
};

struct scene_relation {
    struct scene_relation_key key;
    struct relation relation;
};

static bool
scene_relation_has_key(const void *value, const void *key)
{
    const struct scene_relation_key *a = &((const struct scene_relation *)value)->key, *b = key;
    return a->from == b->from && a->to == b->to && strcmp(a->user, b->user) == 0;
}

static uint64_t
key_hash(const struct scene_relation_key *self)
{
    return table_hash_u64(self->from ^ table_hash_u64(self->to)); // few callers share two ends
}

static void
clear(struct scene_relations *self)
{
    size_t cursor = 0;
    for (struct scene_relation *relation; (relation = table_next(&self->table, &cursor)) != NULL;) {
        free(relation->relation.path);
        free(relation);
    }
    table_finish(&self->table);
}

void
scene_relations_finish(struct scene_relations *self)
{
    clear(self);
    solution_unref(&self->solution);
}

void
scene_relations_begin(struct scene_relations *self, const atlas_t *atlas)
{
    uint64_t access = atlas_access(atlas);
    solution_t *solution = atlas_solution(atlas, &self->epoch);
    if (solution != self->solution || access != self->access || self->table.count > KEPT_AT_MOST)
        clear(self);
    solution_unref(&self->solution);
    self->solution = solution;
    self->access = access;
    self->left = NEW_OF_ONE_ANSWER;
}

// The caller, and the atlas that says what the caller may read.
struct view_of_atlas {
    const atlas_t *atlas;
    const struct caller *caller;
};

static bool
is_visible(uint64_t scene_id, const void *context)
{
    const struct view_of_atlas *view = context;
    return atlas_sees(view->atlas, scene_id, view->caller);
}

static struct scene_relation *
work_out(struct scene_relations *self, const atlas_t *atlas, const struct caller *caller,
         const struct scene_relation_key *key)
{
    const struct view_of_atlas view = {atlas, caller};
    struct scene_relation *relation = memory_take_zeroed(sizeof *relation);
    relation->key = *key;
    relation->relation.motion = rigid_identity;
    if (self->solution)
        solution_relate(self->solution, key->from, key->to, is_visible, &view, &relation->relation);
    table_add(&self->table, key_hash(key), relation);
    return relation;
}

const struct relation *
scene_relations_between(struct scene_relations *self, const atlas_t *atlas,
                        const struct caller *caller, uint64_t from, uint64_t to)
{
    struct scene_relation_key key = {.from = from, .to = to};
    if (!access_sees_all(caller))
        snprintf(key.user, sizeof key.user, "%s", caller->user);
    struct scene_relation *relation =
        table_find(&self->table, key_hash(&key), scene_relation_has_key, &key);
    if (!relation && self->left == 0)
        return NULL;
    if (!relation) {
        self->left--;
        relation = work_out(self, atlas, caller, &key);
    }
    return &relation->relation;
}

// --- as records ---

const struct texts *
scene_relations_path(const atlas_t *atlas, struct arena *arena, const struct relation *relation)
{
    struct texts *keys =
        arena_alloc(arena, sizeof *keys + relation->path_count * sizeof keys->items[0]);
    keys->count = 0;
    for (uint32_t i = 0; i < relation->path_count; i++) {
        const frozen_t *scene = atlas_scene(atlas, relation->path[i]);
        if (!scene)
            continue;
        const struct text *key = frozen_key(scene);
        keys->items[keys->count++] = text_copy(arena, key);
        record_unref(&scene);
    }
    return keys;
}

struct record *
pose_record(struct arena *arena, const struct rigid *motion)
{
    struct record *record = record_new(arena, &pose_schema);
    struct pose *pose = (struct pose *)(void *)record;
    rigid_to_device_pose(motion, pose->translation, pose->rotation);
    record_mark(record, POSE_TRANSLATION);
    record_mark(record, POSE_ROTATION);
    return record;
}
