// alignment_report.c - what a scene actor tells of alignment: event 45, and the report of a scene,
// which the relation actor writes.

#include "actors/scene/device/alignment_report.h"

#include "actors/alignment/relation_actor.h"
#include "actors/alignment/solver_actor.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "proto/records/device.h"
#include "proto/records/relation.h"

enum error
alignment_get(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene = scenes_find(self, message->params->scene);
    TRY(scene_to_read(self, message, message->params->scene, scene));
    struct message *question = message_create(RELATIONS_REPORT);
    struct relations_report *report =
        relations_report_create(scene->id, &scene->evidence, &message);
    question->id = ++self->next_id;
    question->parcel = &report->base;
    if (mailbox_send(self->base.mailbox, actor_mailbox(RELATION_ACTOR), &question) == OK)
        return PARKED;
    actor_answer(actor, &report->request, fail(ERR_UNAVAILABLE, "", "too many ask that at once"));
    message_destroy(&question);
    return PARKED;
}

// RELATIONS_REPORTED: the answer stands in the request that waited.
enum error
alignment_reported(actor_t *actor, struct message *message)
{
    actor_answer(actor, &relations_report_of(message)->request, OK);
    message_destroy(&message);
    return PARKED;
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
        change->transform = device_rare_of(device_of(device))->transform;
        record_mark(&change->base, ALIGNMENT_CHANGE_TRANSFORM);
    }
    const frozen_t *frozen = record_freeze(&alignment_change_schema, &change->base);
    shard_emit(self, scene, frozen, EVENT_ALIGNMENT_CHANGED);
    record_unref(&frozen);
    arena_finish(&arena);
}

static void
emit_moved(struct shard *self, uint64_t scene_id)
{
    const packed_t *known = atlas_scene(self->settings.atlas, scene_id);
    struct scene_state *scene = known ? scenes_find(self, packed_key(known)) : NULL;
    packed_unref(&known);
    if (scene && scene->id == scene_id) // else deleted meanwhile
        alignment_emit(self, scene, NULL);
}

// One solution may move all scenes.
enum error
alignment_moved(actor_t *actor, struct message *message)
{
    enum { WATCHED = 16 }; // so many scenes cost more than a look at the clock
    const struct moved *moved = moved_of(message);
    while (message->progress < moved->count) {
        emit_moved(shard_of(actor), moved->scene_ids[message->progress++]);
        if (message->progress % WATCHED == 0 && actor_must_pause(actor))
            return actor_pause(actor, message);
    }
    return OK;
}
