// scene_create.c - makes scenes: id, defaults, owner, and the state that its creation is staged
// with.

#include "actors/scene/scene_create.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

#include "actors/scene/scene_cache.h"
#include "actors/scene/scene_cascade.h"
#include "actors/scene/scene_dues.h"
#include "actors/scene/scene_family.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_staging.h"
#include "actors/scene/scene_state.h"
#include "proto/feed/event.h"

// What a part of a request is known by, as a number above 0.
static int64_t
part_number(const struct text *seed)
{
    uint64_t number;
    assert(text_size(seed) >= sizeof number);
    memcpy(&number, text_bytes(seed), sizeof number);
    return (int64_t)((number >> 1) | 1);
}

bool
scene_is_of_request(const struct scene *scene, const struct message *message)
{
    const struct text *seed = message->params->repeat_seed;
    return seed && scene->made_by == part_number(seed);
}

struct scene *
scene_with_defaults(struct message *message, const struct text *key)
{
    struct arena *arena = &message->arena;
    struct scene *scene = (struct scene *)(void *)record_new(arena, &scene_schema);
    uint64_t id;
    randombytes_buf(&id, sizeof id);
    scene->id = (int64_t)((id >> 1) | 1); // positive and not 0
    scene->is_public = scene->active = true;
    record_set_text(&scene->base, SCENE_KEY, key);
    record_mark(&scene->base, SCENE_ID);
    record_mark(&scene->base, SCENE_PUBLIC);
    record_mark(&scene->base, SCENE_ACTIVE);
    if (message->params->repeat_seed)
        record_set_integer(&scene->base, SCENE_MADE_BY, part_number(message->params->repeat_seed));
    if (message->caller.user[0])
        record_set_text(&scene->base, SCENE_USER, text_from(arena, message->caller.user));
    return scene;
}

struct scene_state *
scene_stage_new(struct shard *self, struct message *message, const struct scene *scene)
{
    message->makes_scene = true;
    struct scene_state *state = scene_state_create(scene);
    scene_cache_admit_new(self, state);
    shard_stage_put(self, state, KEY_SCENE, &scene->base, NULL, EVENT_SCENE_CREATED);
    struct scene_state *staged = state; // its change holds it
    scene_release(&state);
    return staged;
}

fallible
scene_check_new(struct shard *self, struct message *message, const struct scene_state *scene)
{
    if (scene)
        return OK;
    TRY(scene_cascade_await(self, message));
    const struct scene *made = scene_with_defaults(message, message->params->scene);
    return scene_dues_check_new(self, message, &made->base);
}

struct scene_state *
scenes_latest_or_new(struct shard *self, struct message *message, const struct text *key)
{
    struct scene_state *scene = scenes_latest(self, key);
    if (message->progress == 0)
        message->makes_scene = false; // it may run again, after another one has made the scene
    if (!scene)
        scene = scene_stage_new(self, message, scene_with_defaults(message, key));
    message->scene_id = scene->id;
    return scene;
}
