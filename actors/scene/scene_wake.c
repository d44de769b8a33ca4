// scene_wake.c - one message for each scene whose requests go on; it holds the scene.

#include "actors/scene/scene_wake.h"

#include <stdlib.h>

#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "proto/base/memory.h"

struct waking {
    struct parcel base;
    struct scene_state *scene; // held
};

static void
waking_destroy(struct parcel *parcel)
{
    struct waking *self = (struct waking *)(void *)parcel;
    scene_release(&self->scene);
    free(self);
}

void
scene_wake_begin(struct shard *self, struct scene_state *scene)
{
    if (scene->waiting.count == 0)
        return;
    struct waking *waking = memory_take_zeroed(sizeof *waking);
    struct message *message = message_create(SCENE_WAKE);
    waking->base.destroy = waking_destroy;
    waking->scene = scene;
    scene_hold(scene);
    message->work = &waking->base;
    actor_dispatch(&self->base, message);
}

enum error
scene_wake_slice(actor_t *actor, struct message *message)
{
    struct shard *self = shard_of(actor);
    struct scene_state *scene = ((struct waking *)(void *)message->work)->scene;
    struct message *waiting;
    while ((waiting = message_queue_pop(&scene->waiting)) != NULL) {
        self->woken = scene;
        actor_dispatch(actor, waiting);
        self->woken = NULL;
        if (scene->waiting.count > 0 && actor_must_pause(actor))
            return actor_pause(actor, message);
    }
    return OK;
}
