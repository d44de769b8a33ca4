// correction_operations.c - corrections that administrators pin or remove.

#include "actors/scene/device/correction_operations.h"

#include "actors/scene/device/corrections.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_preconditions.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "proto/base/limits.h"
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

static bool
has_pin(const frozen_t *correction)
{
    return correction && correction_record_of(frozen_record(correction))->is_pinned;
}

// How many pins a scene will have, and the device of a correction there.
struct pins {
    size_t of_scene, of_device;
};

static struct pins
durable_pins(struct scene_state *scene, const struct text *device)
{
    struct device_evidence *said = &scene->device_evidence;
    size_t all, free;
    struct pins pins = {.of_scene = record_set_count(&scene->evidence)};
    device_evidence_unpinned(said, &free);
    pins.of_scene -= free;
    device_evidence_of(said, device, &all);
    device_evidence_unpinned_of(said, device, &free);
    pins.of_device = all - free;
    return pins;
}

static struct pins
latest_pins(const struct shard *self, struct scene_state *scene, const struct text *device)
{
    struct pins pins = durable_pins(scene, device);
    const struct change *change;
    for (size_t cursor = 0;
         (change = staging_next(&self->staging, KEY_EVIDENCE, &cursor)) != NULL;) {
        const frozen_t *any = change->record ? change->record : change->before;
        if (change->owner != scene)
            continue;
        const frozen_t *durable = record_set_find(&scene->evidence, frozen_key(any));
        size_t more = has_pin(change->record), less = has_pin(durable);
        bool is_of_device = text_equal(correction_record_of(frozen_record(any))->device, device);
        pins.of_scene += more - less;
        pins.of_device += is_of_device ? more - less : 0;
    }
    return pins;
}

// Pins are kept for ever: a scene has so many of them, and so has a device in it.
static fallible
check_pins(const struct shard *self, struct scene_state *scene, const frozen_t *correction)
{
    const struct text *device = correction_record_of(frozen_record(correction))->device;
    const struct pins pins = latest_pins(self, scene, device);
    if (pins.of_device >= LIMIT_DEVICE_PINS)
        return fail(ERR_CONFLICT, "", "%d corrections of device %s are pinned: at most that many",
                    LIMIT_DEVICE_PINS, text_chars(device));
    if (pins.of_scene >= LIMIT_SCENE_PINS)
        return fail(ERR_CONFLICT, "", "%d corrections of the scene are pinned: at most that many",
                    LIMIT_SCENE_PINS);
    return OK;
}

enum error
alignment_pin(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene;
    const frozen_t *before;
    TRY(find_correction(self, message, &scene, &before));
    bool pins = params_list_mode(message->params) != LIST_REMOVE;
    if (pins && !has_pin(before))
        TRY(check_pins(self, scene, before));
    TRY(shard_make_room(self, message, 1, record_size(before) + WRITE_BYTES));
    struct record *changed =
        record_copy(&message->arena, &correction_schema, frozen_record(before));
    ((struct correction_record *)(void *)changed)->is_pinned = pins;
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
