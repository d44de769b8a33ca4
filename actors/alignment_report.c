// alignment_report.c - what is told of how scenes relate: links and corrections of a scene, the
// relation of two, event 45 (alignment, "What registration answers"). What a caller may not read is
// left out.

#include <stdlib.h>
#include "actors/access.h"
#include "actors/shard.h"
#include "actors/solver_actor.h"
#include "proto/records/correction.h"
#include "proto/records/device.h"
#include "proto/records/relation.h"

// Sets a member of a loose record and marks it present.
#define SET(record_, id_, member_, value_)                                                         \
    do {                                                                                           \
        (record_)->member_ = (value_);                                                             \
        record_mark(&(record_)->base, (id_));                                                      \
    } while (0)

static void
answer_record(struct message *message, const struct schema *schema, const struct record *loose)
{
    const struct record *frozen = record_freeze(schema, loose);
    reply_add(message, frozen);
    record_unref(&frozen);
}

// --- links ---

static struct record *
link_shown(struct arena *arena, const struct text *scene, const struct link_state *link)
{
    struct link_record *shown = (struct link_record *)(void *)record_new(arena, &link_schema);
    struct record *record = &shown->base;
    record_set_text(record, LINK_SCENE, text_new(arena, text_chars(scene), text_size(scene)));
    record_set_text(record, LINK_STATUS, text_from(arena, alignment_status_name(link->status)));
    SET(shown, LINK_TRANSFORM, transform, pose_record(arena, &link->motion));
    SET(shown, LINK_SIGMA_T, sigma_t_m, link->sigma_t_m);
    SET(shown, LINK_SIGMA_R, sigma_r_rad, link->sigma_r_rad);
    SET(shown, LINK_RESIDUAL_T, residual_t_m, link->residual_t_m);
    SET(shown, LINK_RESIDUAL_R, residual_r_rad, link->residual_r_rad);
    record_set_integer(record, LINK_OBSERVATIONS, link->observations);
    record_set_integer(record, LINK_REJECTED, link->rejected);
    record_set_integer(record, LINK_DEVICES, link->devices);
    return record;
}

static const struct records *
links_shown(struct shard *self, struct message *message, const solution_t *solution,
            uint64_t scene_id)
{
    const struct link_state *links = NULL;
    size_t count = solution ? solution_links(solution, scene_id, &links) : 0;
    struct records *shown = records_new(&message->arena, count);
    for (size_t i = 0; i < count; i++) {
        const struct record *other = atlas_scene(self->settings.atlas, links[i].scene_id);
        if (other && scene_is_seen(&message->caller, other))
            shown->items[shown->count++] =
                link_shown(&message->arena, record_key(other), &links[i]);
        record_unref(&other);
    }
    return shown;
}

// --- corrections ---

static int
by_id(const void *key, const void *verdict)
{
    return strcmp(key, ((const struct verdict *)verdict)->id);
}

// Where the solution says nothing of a correction, a newer one counts in its place; one that the
// next solution will be the first to know is as good as any.
static void
judge(struct correction_record *shown, const struct verdict *verdict, bool has_newer)
{
    if (!verdict && has_newer) {
        SET(shown, CORRECTION_SUPERSEDED, is_superseded, true);
        return;
    }
    SET(shown, CORRECTION_SUPERSEDED, is_superseded, false);
    SET(shown, CORRECTION_REJECTED, is_rejected, verdict && verdict->is_rejected);
    SET(shown, CORRECTION_WEIGHT, weight, verdict ? verdict->weight : 1);
    if (!verdict)
        return;
    SET(shown, CORRECTION_RESIDUAL_T, residual_t_m, verdict->residual_t_m);
    SET(shown, CORRECTION_RESIDUAL_R, residual_r_rad, verdict->residual_r_rad);
}

// A correction as the caller sees it: whose it is only administrators and its user do.
static struct correction_record *
correction_shown(struct message *message, const struct record *correction)
{
    struct record *record = record_copy(&message->arena, &correction_schema, correction);
    struct correction_record *shown = (struct correction_record *)(void *)record;
    if (!access_sees_all(&message->caller) && !text_is(shown->user, message->caller.user))
        record->present &= ~FIELD_BIT(CORRECTION_USER);
    record_set_text(record, CORRECTION_SCENE, message->params->scene);
    return shown;
}

static bool
is_text(const void *value, const void *key)
{
    return text_equal(value, key);
}

// Whether the device is among those that were seen already; from now on it is.
static bool
is_seen_again(struct table *seen, const struct text *device)
{
    uint64_t hash = table_hash_text(device);
    if (table_find(seen, hash, is_text, device))
        return true;
    table_add(seen, hash, (void *)(uintptr_t)device);
    return false;
}

// All of a scene, in the order in which they came: walked from the newest on.
static const struct records *
corrections_shown(struct message *message, const solution_t *solution, struct scene_state *scene)
{
    const struct verdict *verdicts = NULL;
    size_t verdict_count = solution ? solution_verdicts(solution, scene->id, &verdicts) : 0, count;
    const struct record *const *items = record_set_items(&scene->evidence, &count);
    struct records *shown = records_new(&message->arena, count);
    struct table seen = {0};
    for (size_t i = count; i-- > 0;) {
        struct correction_record *correction = correction_shown(message, items[i]);
        const struct verdict *verdict = verdict_count
                                            ? bsearch(text_chars(correction->id), verdicts,
                                                      verdict_count, sizeof *verdicts, by_id)
                                            : NULL;
        judge(correction, verdict, is_seen_again(&seen, correction->device));
        shown->items[i] = &correction->base;
    }
    shown->count = (uint32_t)count;
    table_finish(&seen);
    return shown;
}

enum error
alignment_get(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct arena *arena = &message->arena;
    struct scene_state *scene = scenes_find(self, message->params->scene);
    TRY(scene_to_read(self, message, message->params->scene, scene));
    uint64_t epoch;
    solution_t *solution = atlas_solution(self->settings.atlas, &epoch);
    struct scene_alignment *report =
        (struct scene_alignment *)(void *)record_new(arena, &scene_alignment_schema);
    record_set_text(&report->base, SCENE_ALIGNMENT_SCENE, scene->key);
    record_set_integer(&report->base, SCENE_ALIGNMENT_EPOCH, (int64_t)epoch);
    report->links = links_shown(self, message, solution, scene->id);
    report->corrections = corrections_shown(message, solution, scene);
    record_mark(&report->base, SCENE_ALIGNMENT_LINKS);
    record_mark(&report->base, SCENE_ALIGNMENT_CORRECTIONS);
    solution_unref(&solution);
    answer_record(message, &scene_alignment_schema, &report->base);
    return OK;
}

// --- two scenes ---

static struct record *
relation_shown(struct shard *self, struct message *message, const struct relation *relation)
{
    struct arena *arena = &message->arena;
    struct relation_record *shown =
        (struct relation_record *)(void *)record_new(arena, &relation_schema);
    struct record *record = &shown->base;
    record_set_text(record, RELATION_FROM, message->params->from);
    record_set_text(record, RELATION_TO, message->params->to);
    record_set_text(record, RELATION_STATUS,
                    text_from(arena, alignment_status_name(relation->status)));
    SET(shown, RELATION_TRANSFORM, transform, pose_record(arena, &relation->motion));
    if (relation->status != ALIGNMENT_NONE) {
        SET(shown, RELATION_SIGMA_T, sigma_t_m, relation->sigma_t_m);
        SET(shown, RELATION_SIGMA_R, sigma_r_rad, relation->sigma_r_rad);
    }
    record_set_integer(record, RELATION_OBSERVATIONS, relation->observations);
    record_set_integer(record, RELATION_DEVICES, relation->devices);
    SET(shown, RELATION_PATH, path, derivation_path(self, arena, relation));
    record_set_integer(record, RELATION_EPOCH, (int64_t)self->passages.epoch);
    return record;
}

// The id of the scene that a request names and its caller may read; 0 where there is none.
static uint64_t
visible_scene(const struct shard *self, const struct message *message, const struct text *key)
{
    const struct record *scene = atlas_scene_named(self->settings.atlas, key);
    uint64_t id = scene && scene_is_seen(&message->caller, scene)
                      ? (uint64_t)((const struct scene *)(const void *)scene)->id
                      : 0;
    record_unref(&scene);
    return id;
}

enum error
alignment_relate(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    const struct text *keys[] = {message->params->from, message->params->to};
    uint64_t ids[2];
    for (size_t i = 0; i < 2; i++) {
        if (text_size(keys[i]) == 0)
            return fail(ERR_MISSING, "", "from and to name the two scenes");
        ids[i] = visible_scene(self, message, keys[i]);
        if (!ids[i])
            return fail(ERR_NOT_FOUND, "", "there is no scene %s", text_chars(keys[i]));
    }
    passages_begin(&self->passages, self->settings.atlas);
    const struct relation *relation =
        passages_between(&self->passages, self->settings.atlas, &message->caller, ids[0], ids[1]);
    answer_record(message, &relation_schema, relation_shown(self, message, relation));
    return OK;
}

// --- event 45 ---

void
alignment_emit(struct shard *self, struct scene_state *scene, const struct record *device)
{
    struct arena arena = {0};
    struct alignment_change *change =
        (struct alignment_change *)(void *)record_new(&arena, &alignment_change_schema);
    record_set_text(&change->base, ALIGNMENT_CHANGE_SCENE, scene->key);
    record_set_integer(&change->base, ALIGNMENT_CHANGE_EPOCH,
                       (int64_t)atlas_epoch(self->settings.atlas));
    if (device) {
        record_set_text(&change->base, ALIGNMENT_CHANGE_DEVICE, record_key(device));
        SET(change, ALIGNMENT_CHANGE_TRANSFORM, transform,
            ((const struct device *)(const void *)device)->transform);
    }
    const struct record *frozen = record_freeze(&alignment_change_schema, &change->base);
    shard_emit(self, scene, frozen, EVENT_ALIGNMENT_CHANGED);
    record_unref(&frozen);
    arena_finish(&arena);
}

static void
emit_moved(struct shard *self, uint64_t scene_id)
{
    const struct record *known = atlas_scene(self->settings.atlas, scene_id);
    struct scene_state *scene = known ? scenes_find(self, record_key(known)) : NULL;
    record_unref(&known);
    if (scene && scene->id == scene_id) // else deleted meanwhile
        alignment_emit(self, scene, NULL);
}

enum error
alignment_moved(actor_t *actor, struct message *message)
{
    const struct moved *moved = moved_of(message);
    for (size_t i = 0; i < moved->count; i++)
        emit_moved(shard_of(actor), moved->scene_ids[i]);
    return OK;
}
