// scene_relations.c - a table of relations by both scenes and by user (scene_relations.h).
#include "actors/alignment/scene_relations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"
#include "proto/message/access_item.h"
#include "proto/records/device.h"
#include "proto/records/relation.h"
#include "proto/records/scene.h"

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

void
scene_relations_relate(const solution_t *solution, const atlas_t *atlas,
                       const struct caller *caller, uint64_t from, uint64_t to,
                       struct relation *ret_relation)
{
    const struct view_of_atlas view = {atlas, caller};
    solution_relate(solution, from, to, is_visible, &view, ret_relation);
}

static struct scene_relation *
work_out(struct scene_relations *self, const atlas_t *atlas, const struct caller *caller,
         const struct scene_relation_key *key)
{
    struct scene_relation *relation = memory_take_zeroed(sizeof *relation);
    relation->key = *key;
    relation->relation.motion = rigid_identity;
    if (self->solution)
        scene_relations_relate(self->solution, atlas, caller, key->from, key->to,
                               &relation->relation);
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

uint64_t
scene_relations_visible(const atlas_t *atlas, const struct caller *caller, const struct text *key)
{
    struct opened room;
    const packed_t *scene = atlas_scene_named(atlas, key);
    uint64_t id = scene ? (uint64_t)scene_of(packed_open(scene, &room))->id : 0;
    packed_unref(&scene);
    return id && atlas_sees(atlas, id, caller) ? id : 0;
}

// --- as records ---

const struct texts *
scene_relations_path(const atlas_t *atlas, struct arena *arena, const struct relation *relation)
{
    struct texts *keys =
        arena_alloc(arena, sizeof *keys + relation->path_count * sizeof keys->items[0]);
    keys->count = 0;
    for (uint32_t i = 0; i < relation->path_count; i++) {
        const packed_t *scene = atlas_scene(atlas, relation->path[i]);
        if (!scene)
            continue;
        const struct text *key = packed_key(scene);
        keys->items[keys->count++] = text_copy(arena, key);
        packed_unref(&scene);
    }
    return keys;
}

struct record *
link_record_shown(struct arena *arena, const struct text *scene, const struct link_state *link)
{
    struct link_record *shown = (struct link_record *)(void *)record_new(arena, &link_schema);
    struct record *record = &shown->base;
    record_set_text(record, LINK_SCENE, text_copy(arena, scene));
    record_set_text(record, LINK_STATUS, text_from(arena, alignment_status_name(link->status)));
    RECORD_SET(shown, LINK_TRANSFORM, transform, pose_record(arena, &link->motion));
    RECORD_SET(shown, LINK_SIGMA_T, sigma_t_m, link->sigma_t_m);
    RECORD_SET(shown, LINK_SIGMA_R, sigma_r_rad, link->sigma_r_rad);
    RECORD_SET(shown, LINK_RESIDUAL_T, residual_t_m, link->residual_t_m);
    RECORD_SET(shown, LINK_RESIDUAL_R, residual_r_rad, link->residual_r_rad);
    record_set_integer(record, LINK_OBSERVATIONS, link->observations);
    record_set_integer(record, LINK_REJECTED, link->rejected);
    record_set_integer(record, LINK_DEVICES, link->devices);
    return record;
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
