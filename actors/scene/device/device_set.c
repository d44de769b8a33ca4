// device_set.c - the durable devices of a scene with the staged changes over them.

#include "actors/scene/device/device_set.h"

#include "actors/scene/scene_family.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"

const frozen_t *
device_latest(struct shard *self, struct scene_state *scene, const struct text *key)
{
    const struct change *change = staging_latest(&self->staging, KEY_DEVICE, scene, key);
    return change ? change->record : record_set_find(&scene->devices, key);
}

void
devices_latest(struct shard *self, struct scene_state *scene, struct record_set *set)
{
    size_t count;
    const frozen_t *const *devices = record_set_items(&scene->devices, &count);
    for (size_t i = 0; i < count; i++)
        record_set_put(set, devices[i]);
    const struct change *change;
    for (size_t cursor = 0; (change = staging_next(&self->staging, KEY_DEVICE, &cursor)) != NULL;)
        if (change->owner == scene && change->record)
            record_set_put(set, change->record);
        else if (change->owner == scene)
            record_set_remove(set, frozen_key(change->before));
}

size_t
devices_latest_count(struct shard *self, struct scene_state *scene)
{
    size_t count = record_set_count(&scene->devices);
    const struct change *change;
    for (size_t cursor = 0; (change = staging_next(&self->staging, KEY_DEVICE, &cursor)) != NULL;) {
        const frozen_t *any = change->record ? change->record : change->before;
        if (change->owner != scene)
            continue;
        count += change->record != NULL;
        count -= record_set_find(&scene->devices, frozen_key(any)) != NULL;
    }
    return count;
}
