// scene_remains.c - ends the registrations and corrections of a deleted scene (scene_remains.h).
// The scene is held until all are gone. Updates by UDP with a token of its devices find no scene.
#include "actors/scene/scene_remains.h"

#include <stdlib.h>

#include "actors/scene/device/corrections.h"
#include "actors/scene/scene_dues.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "actors/scene/token_index.h"
#include "actors/scene/user_index.h"
#include "proto/base/memory.h"

// The work of a message.
struct remains {
    struct parcel base;
    struct scene_state *scene; // held
};

static void
remains_release(struct parcel *parcel)
{
    struct remains *self = (struct remains *)(void *)parcel;
    scene_release(&self->scene);
    free(self);
}

struct message *
scene_remains_message(struct scene_state *scene)
{
    struct remains *remains = memory_take_zeroed(sizeof *remains);
    struct message *message = message_create(REMAINS_DROP);
    remains->base.destroy = remains_release;
    remains->scene = scene;
    scene_hold(scene);
    message->work = &remains->base;
    return message;
}

static void
drop_device(struct shard *self, struct scene_state *scene, const frozen_t *device)
{
    struct opened room;
    token_index_remove(self, device);
    if (self->settings.intake)
        sealed_intake_remove(self->settings.intake, device_open(device, &room));
    user_index_remove(self, scene, device);
    corrections_device_gone(self, scene, frozen_key(device));
    scene_dues_device_gone(self, device);
}

typedef void dropper(struct shard *self, struct scene_state *scene, const frozen_t *record);

// Drops what is left of a set; false: the slice is over.
static bool
drop_all(struct shard *self, struct scene_state *scene, struct record_set *set, dropper *drop)
{
    enum { WATCHED = 32 }; // so many cost more than a look at the clock
    const frozen_t *last;
    for (unsigned i = 1; (last = record_set_take_last(set)) != NULL; i++) {
        drop(self, scene, last);
        record_unref(&last);
        if (i % WATCHED == 0 && actor_must_pause(&self->base))
            return false;
    }
    return true;
}

enum error
remains_drop(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene = ((struct remains *)(void *)message->work)->scene;
    if (drop_all(self, scene, &scene->devices, drop_device) &&
        drop_all(self, scene, &scene->evidence, correction_gone_with_scene))
        return OK;
    return actor_pause(actor, message);
}
