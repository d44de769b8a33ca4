// correction_operations.c - corrections that administrators pin or remove.

#include "actors/scene/device/correction_operations.h"

#include "actors/scene/device/corrections.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_preconditions.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "proto/records/correction.h"

// The correction that the request names, as it will be, and its scene.
static fallible
find_correction(struct shard *self, struct message *message, struct scene_state **ret_scene,
                const frozen_t **ret_correction)
{
    const struct params *params = message->params;
    struct scene_state *scene = scenes_latest(self, params->scene);
    TRY(scene_to_write(self, message, params->scene, scene));
    const frozen_t *correction = correction_latest(self, scene, params->evidence);
    if (!correction)
        return fail(ERR_NOT_FOUND, "", "there is no correction %s in the scene",
                    text_chars(params->evidence));
    TRY(preconditions_check_scene(self, message, scene));
    *ret_scene = scene;
    *ret_correction = correction;
    return OK;
}

enum error
alignment_pin(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    const frozen_t *before;
    TRY(find_correction(self, message, &scene, &before));
    TRY(shard_make_room(self, message, 1, record_size(before) + WRITE_BYTES));
    struct record *changed =
        record_copy(&message->arena, &correction_schema, frozen_record(before));
    ((struct correction_record *)(void *)changed)->is_pinned =
        params_list_mode(message->params) != LIST_REMOVE;
    record_mark(changed, CORRECTION_PINNED);
    reply_add(message, shard_stage_put(self, scene, KEY_EVIDENCE, changed, before, 0));
    return shard_answer_durable(self, message);
}

enum error
alignment_remove(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    const frozen_t *before;
    TRY(find_correction(self, message, &scene, &before));
    TRY(shard_make_room(self, message, 2, 2 * (record_size(before) + WRITE_BYTES)));
    reply_add(message, before);
    correction_stage_hand_down(self, message, scene, before);
    shard_stage_delete(self, scene, KEY_EVIDENCE, before, 0);
    return shard_answer_durable(self, message);
}
