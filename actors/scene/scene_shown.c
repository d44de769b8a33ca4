// scene_shown.c - see the header.
#include "actors/scene/scene_shown.h"

#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/message/partition.h"

static struct access_item
access_of(const struct scene_state *scene)
{
    const struct scene *record = scene_of(frozen_record(scene->record));
    return (struct access_item){record->user, record->is_public};
}

// Its answer has its devices too, which differ from caller to caller.
static uint64_t
place_of(const struct scene_state *scene)
{
    return record_set_count(&scene->devices) > 0 ? SHOWN_IN_PART : scene->seq;
}

void
scene_shown_put(struct shard *self, struct scene_state *scene)
{
    if (scene->shown || !scene->is_indexed)
        return;
    const struct access_item access = access_of(scene);
    shown_put(self->settings.shown, scene->record, &access, place_of(scene), &scene->shown);
}

void
scene_shown_put_entity(struct shard *self, struct scene_state *scene, const frozen_t *entity)
{
    if (!scene || scene->cache_state != SCENE_IN_MEMORY || !key_is_generated(frozen_key(entity)))
        return;
    scene_shown_put(self, scene);
    shown_put_part(self->settings.shown, scene->shown, entity);
}

void
scene_shown_change(struct shard *self, const struct scene_state *scene)
{
    const struct access_item access = access_of(scene);
    shown_change(self->settings.shown, scene->shown, scene->record, &access);
}

void
scene_shown_move(const struct scene_state *scene)
{
    if (scene->shown)
        shown_move(scene->shown, place_of(scene));
}

void
scene_shown_change_entity(struct shard *self, const struct scene_state *scene, const frozen_t *old,
                          const frozen_t *now)
{
    if (!scene->shown || !old)
        return;
    if (now)
        shown_change_part(self->settings.shown, scene->shown, now);
    else
        shown_remove_key(self->settings.shown, frozen_record(old)->schema, frozen_key(old));
}

void
scene_shown_take(struct shard *self, struct scene_state *scene)
{
    shown_remove_whole(self->settings.shown, &scene->shown);
}

bool
scene_shown_was_read(const struct scene_state *scene)
{
    return shown_was_read(scene->shown);
}
