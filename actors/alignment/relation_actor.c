// relation_actor.c - answers with the links and corrections of a scene, and with the relation of
// two scenes (relation_actor.h). What the caller may not read is left out.
#include "actors/alignment/relation_actor.h"

#include <stdlib.h>
#include <string.h>

#include "actors/alignment/alignment_graph.h"
#include "actors/alignment/scene_relations.h"
#include "proto/base/memory.h"
#include "proto/message/access_item.h"
#include "proto/records/correction.h"
#include "proto/records/relation.h"
#include "proto/records/scene.h"

struct relation_actor {
    actor_t base;
    atlas_t *atlas;
    struct scene_relations relations;
};

static relation_actor_t *
relation_actor_of(actor_t *actor)
{
    return (relation_actor_t *)(void *)actor;
}

static void
relations_report_release(struct parcel *parcel)
{
    struct relations_report *self = (struct relations_report *)(void *)parcel;
    for (size_t i = 0; i < self->count; i++)
        record_unref(&self->corrections[i]);
    message_destroy(&self->request);
    free(self);
}

struct relations_report *
relations_report_create(uint64_t scene_id, struct record_set *corrections, struct message **request)
{
    size_t count;
    const frozen_t *const *items = record_set_items(corrections, &count);
    struct relations_report *self = memory_take(sizeof *self + count * sizeof self->corrections[0]);
    *self = (struct relations_report){
        .base.destroy = relations_report_release, .scene_id = scene_id, .count = count};
    for (size_t i = 0; i < count; i++)
        self->corrections[i] = record_ref(items[i]);
    self->request = *request;
    *request = NULL;
    return self;
}

// --- links ---

static const struct records *
links_shown(const atlas_t *atlas, struct message *message, const solution_t *solution,
            uint64_t scene_id)
{
    const struct link_state *links = NULL;
    size_t count = solution ? solution_links(solution, scene_id, &links) : 0;
    struct records *shown = records_new(&message->arena, count);
    for (size_t i = 0; i < count; i++) {
        const packed_t *other = atlas_scene(atlas, links[i].scene_id);
        if (other && atlas_sees(atlas, links[i].scene_id, &message->caller))
            shown->items[shown->count++] =
                link_record_shown(&message->arena, packed_key(other), &links[i]);
        packed_unref(&other);
    }
    return shown;
}

// --- corrections ---

static int
by_id(const void *key, const void *verdict)
{
    return strcmp(key, ((const struct verdict *)verdict)->id);
}

// A correction without a verdict is superseded if its device sent a newer one. If not, the next
// solution will be the first that knows it, and until then it counts fully.
static void
judge(struct arena *arena, struct correction_record *shown, const struct verdict *verdict,
      bool has_newer)
{
    if (!verdict && has_newer) {
        RECORD_SET(shown, CORRECTION_SUPERSEDED, is_superseded, true);
        return;
    }
    RECORD_SET(shown, CORRECTION_SUPERSEDED, is_superseded, false);
    RECORD_SET(shown, CORRECTION_REJECTED, is_rejected, verdict && verdict->rejection);
    RECORD_SET(shown, CORRECTION_WEIGHT, weight, verdict ? verdict->weight : 1);
    if (!verdict)
        return;
    RECORD_SET(shown, CORRECTION_RESIDUAL_T, residual_t_m, verdict->residual_t_m);
    RECORD_SET(shown, CORRECTION_RESIDUAL_R, residual_r_rad, verdict->residual_r_rad);
    if (verdict->noise_factor > 1)
        RECORD_SET(shown, CORRECTION_NOISE_FACTOR, noise_factor, verdict->noise_factor);
    if (verdict->rejection)
        record_set_text(&shown->base, CORRECTION_REASON,
                        text_from(arena, rejection_name(verdict->rejection)));
}

// A correction as the caller sees it. Only administrators and its user see whose it is.
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

// Whether the device was seen before; from now on it was.
static bool
is_seen_again(struct table *seen, const struct text *device)
{
    uint64_t hash = table_hash_text(device);
    if (table_find(seen, hash, is_text, device))
        return true;
    table_add(seen, hash, (void *)(uintptr_t)device);
    return false;
}

// All corrections of the scene, in the order in which they came. The loop starts at the newest.
static const struct records *
corrections_shown(struct message *message, const solution_t *solution,
                  const struct relations_report *report)
{
    const struct verdict *verdicts = NULL;
    size_t verdict_count = solution ? solution_verdicts(solution, report->scene_id, &verdicts) : 0;
    size_t count = report->count;
    struct records *shown = records_new(&message->arena, count);
    struct table seen = {0};
    for (size_t i = count; i-- > 0;) {
        struct correction_record *correction =
            correction_shown(message, frozen_record(report->corrections[i]));
        const struct verdict *verdict = verdict_count
                                            ? bsearch(text_chars(correction->id), verdicts,
                                                      verdict_count, sizeof *verdicts, by_id)
                                            : NULL;
        judge(&message->arena, correction, verdict, is_seen_again(&seen, correction->device));
        shown->items[i] = &correction->base;
    }
    shown->count = (uint32_t)count;
    table_finish(&seen);
    return shown;
}

// Writes the answer into the request that waits for it.
static void
relations_report_answer(const atlas_t *atlas, const struct relations_report *report)
{
    struct message *message = report->request;
    uint64_t epoch;
    solution_t *solution = atlas_solution(atlas, &epoch);
    struct scene_alignment *answer =
        (struct scene_alignment *)(void *)record_new(&message->arena, &scene_alignment_schema);
    record_set_text(&answer->base, SCENE_ALIGNMENT_SCENE, message->params->scene);
    record_set_integer(&answer->base, SCENE_ALIGNMENT_EPOCH, (int64_t)epoch);
    if (solution) {
        record_set_integer(&answer->base, SCENE_ALIGNMENT_AS_OF,
                           (int64_t)solution_as_of_us(solution));
        RECORD_SET(answer, SCENE_ALIGNMENT_CONTRARY, contrary_share,
                   solution_contrary_share(solution, report->scene_id));
        const char *confidence = solution_confidence(solution, report->scene_id);
        if (confidence)
            record_set_text(&answer->base, SCENE_ALIGNMENT_CONFIDENCE,
                            text_from(&message->arena, confidence));
    }
    answer->links = links_shown(atlas, message, solution, report->scene_id);
    answer->corrections = corrections_shown(message, solution, report);
    record_mark(&answer->base, SCENE_ALIGNMENT_LINKS);
    record_mark(&answer->base, SCENE_ALIGNMENT_CORRECTIONS);
    solution_unref(&solution);
    reply_add_loose(message, &scene_alignment_schema, &answer->base);
}

// --- two scenes ---

static struct record *
relation_shown(relation_actor_t *self, struct message *message, const struct relation *relation)
{
    struct arena *arena = &message->arena;
    struct relation_record *shown =
        (struct relation_record *)(void *)record_new(arena, &relation_schema);
    struct record *record = &shown->base;
    record_set_text(record, RELATION_FROM, message->params->from);
    record_set_text(record, RELATION_TO, message->params->to);
    record_set_text(record, RELATION_STATUS,
                    text_from(arena, alignment_status_name(relation->status)));
    RECORD_SET(shown, RELATION_TRANSFORM, transform, pose_record(arena, &relation->motion));
    if (relation->status != ALIGNMENT_NONE) {
        record_set_text(record, RELATION_CONFIDENCE, text_from(arena, relation->confidence));
        RECORD_SET(shown, RELATION_SIGMA_T, sigma_t_m, relation->sigma_t_m);
        RECORD_SET(shown, RELATION_SIGMA_R, sigma_r_rad, relation->sigma_r_rad);
    }
    if (relation->status != ALIGNMENT_NONE && message->params->covariance) {
        memcpy(shown->covariance, relation->covariance, sizeof shown->covariance);
        record_mark(record, RELATION_COVARIANCE);
    }
    record_set_integer(record, RELATION_OBSERVATIONS, relation->observations);
    record_set_integer(record, RELATION_DEVICES, relation->devices);
    RECORD_SET(shown, RELATION_PATH, path, scene_relations_path(self->atlas, arena, relation));
    record_set_integer(record, RELATION_EPOCH, (int64_t)self->relations.epoch);
    if (self->relations.solution)
        record_set_integer(record, RELATION_AS_OF,
                           (int64_t)solution_as_of_us(self->relations.solution));
    return record;
}

static enum error
relate(actor_t *actor, struct message *message)
{
    relation_actor_t *self = relation_actor_of(actor);
    const struct text *keys[] = {message->params->from, message->params->to};
    uint64_t ids[2];
    for (size_t i = 0; i < 2; i++) {
        if (text_size(keys[i]) == 0)
            return fail(ERR_MISSING, "", "from and to name the two scenes");
        ids[i] = scene_relations_visible(self->atlas, &message->caller, keys[i]);
        if (!ids[i])
            return fail(ERR_NOT_FOUND, "", "there is no scene %s", text_chars(keys[i]));
    }
    scene_relations_begin(&self->relations, self->atlas);
    const struct relation *relation =
        scene_relations_between(&self->relations, self->atlas, &message->caller, ids[0], ids[1]);
    reply_add_loose(message, &relation_schema, relation_shown(self, message, relation));
    return OK;
}

static enum error
graph(actor_t *actor, struct message *message)
{
    return alignment_graph_answer(actor, relation_actor_of(actor)->atlas, message);
}

// --- the actor ---

static enum error
report_relations(actor_t *actor, struct message *message)
{
    relations_report_answer(relation_actor_of(actor)->atlas, relations_report_of(message));
    message->operation = RELATIONS_REPORTED;
    return OK;
}

static void
finish(actor_t *actor)
{
    scene_relations_finish(&relation_actor_of(actor)->relations);
}

static const struct actor_behaviour behaviour = {
    .operations =
        {
            [RELATIONS_REPORT] = {report_relations},
            [ALIGNMENT_RELATE] = {relate},
            [ALIGNMENT_GRAPH] = {graph, .is_long = true},
        },
    .close = finish,
};

fallible
relation_actor_create(atlas_t *atlas, relation_actor_t **ret_actor)
{
    relation_actor_t *self = memory_take_zeroed(sizeof *self);
    self->atlas = atlas;
    TRY(actor_create(&self->base, &behaviour, actor_mailbox(RELATION_ACTOR)));
    *ret_actor = self;
    return OK;
}

void
relation_actor_destroy(relation_actor_t **self, mailbox_t *from)
{
    if (*self)
        actor_destroy(&(*self)->base, from);
    *self = NULL;
}
