// entity_lookup.c - entities by their keys, for readers and for writers: a generated key leads to
// its entity whatever scene the URL names, a chosen one is looked for in that scene alone. A caller
// who may not reach the scene does not find the entity.

#include "actors/scene/entity/entity_lookup.h"

#include "actors/scene/entity_apart.h"
#include "actors/scene/entity_cache.h"
#include "actors/scene/entity_pages.h"
#include "actors/scene/key_lookup.h"
#include "actors/scene/scene_cache.h"
#include "actors/scene/scene_index.h"
#include "actors/scene/scene_shard.h"
#include "actors/scene/scene_state.h"
#include "actors/scene/scene_wake.h"
#include "proto/message/partition.h"

static fallible
no_entity(const struct entity_kind *kind, const struct text *key)
{
    return fail(ERR_NOT_FOUND, "", "there is no %s %s", kind->noun, text_chars(key));
}

bool
entity_is_staged(const struct shard *self, const struct scene_state *scene, const frozen_t *entity)
{
    return staging_latest(&self->staging, entity_kind_of(frozen_record(entity))->tag, scene,
                          frozen_key(entity)) != NULL;
}

// A generated key leads to its entity, whatever scene the URL names.
static fallible
find_generated(struct shard *self, struct message *message, const struct entity_kind *kind,
               const struct text *key, enum scene_need need, struct scene_state **ret_scene,
               const frozen_t **ret_entity)
{
    const frozen_t *entity = entity_cache_find(self, kind, key);
    if (!entity)
        return key_look_up(self, kind, key, need, message);
    *ret_scene = scenes_find(self, entity_of(frozen_record(entity))->scene);
    *ret_entity = entity;
    return OK;
}

static fallible
find_generated_latest(struct shard *self, struct message *message, const struct entity_kind *kind,
                      const struct text *key, enum scene_need need, struct scene_state **ret_scene,
                      const frozen_t **ret_entity)
{
    const struct change *change = staging_latest(&self->staging, kind->tag, NULL, key);
    struct scene_state *held = change ? NULL : entity_apart_scene(message, kind, key);
    bool is_apart = held && held->cache_state == SCENE_ON_DISK;
    if (!change && !is_apart)
        return find_generated(self, message, kind, key, need, ret_scene, ret_entity);
    *ret_scene = change ? change->owner : held;
    *ret_entity = change ? change->record : NULL;
    return is_apart ? entity_apart_fetch(self, held, kind, key, message, ret_entity) : OK;
}

// A key that a client chose is found in the scene that is named only, `scene` (NULL = there is
// none, or it rests: of datagrams nothing looked before).
static fallible
need_chosen(struct shard *self, struct message *message, const struct entity_kind *kind,
            const struct text *key, bool is_to_read, struct scene_state *scene)
{
    bool is_vast = false;
    if (!kind->choose_key)
        return no_entity(kind, key);
    if (scene && is_to_read)
        TRY(scene_cache_need_to_read(self, scene, message, &is_vast));
    if (is_vast)
        return entity_pages_fetch(self, scene, kind, key, message);
    if (scene)
        return scene_cache_need(self, scene, message);
    TRY(scene_wake_of(&self->base, message));
    return no_entity(kind, key);
}

const frozen_t *
entity_latest_in_scene(const struct shard *self, const struct entity_kind *kind,
                       const struct scene_state *scene, const struct text *key)
{
    const struct change *change = staging_latest(&self->staging, kind->tag, scene, key);
    return change ? change->record : record_set_find(&scene->entities[kind->place], key);
}

fallible
entity_latest_alone_in_scene(struct shard *self, struct message *message,
                             const struct entity_kind *kind, struct scene_state *scene,
                             const struct text *key, const frozen_t **ret_entity)
{
    bool is_apart;
    TRY(scene_cache_need_to_write(self, scene, message, &is_apart));
    const struct change *change =
        is_apart ? staging_latest(&self->staging, kind->tag, scene, key) : NULL;
    if (is_apart && !change)
        return entity_apart_fetch(self, scene, kind, key, message, ret_entity);
    *ret_entity = change ? change->record : entity_latest_in_scene(self, kind, scene, key);
    return OK;
}

static fallible
find_chosen_latest(struct shard *self, struct message *message, const struct entity_kind *kind,
                   const struct text *key, enum scene_need need, struct scene_state *scene,
                   const frozen_t **ret_entity)
{
    if (need == NEED_TO_WRITE && scene && kind->choose_key)
        return entity_latest_alone_in_scene(self, message, kind, scene, key, ret_entity);
    TRY(need_chosen(self, message, kind, key, false, scene));
    *ret_entity = entity_latest_in_scene(self, kind, scene, key);
    return OK;
}

// An entity in a scene that the caller may not see is answered like one that does not exist: the
// answer does not even name the scene.
static fallible
hidden(const struct entity_kind *kind, const struct text *key, enum error error)
{
    return error == ERR_NOT_FOUND ? no_entity(kind, key) : error;
}

static fallible
find(struct shard *self, struct message *message, const struct entity_kind *kind,
     const struct text *key, bool is_to_read, const frozen_t **ret_entity)
{
    struct scene_state *scene = NULL;
    const frozen_t *entity = NULL;
    bool is_vast = false;
    if (key_is_generated(key)) {
        TRY(find_generated(self, message, kind, key, is_to_read ? NEED_TO_READ : NEED_WHOLE, &scene,
                           &entity));
    } else {
        scene = scenes_find(self, message->params->scene);
        TRY(need_chosen(self, message, kind, key, is_to_read, scene));
        entity = record_set_find(&scene->entities[kind->place], key);
    }
    if (!entity)
        return no_entity(kind, key);
    TRY(hidden(kind, key,
               scene_to_read(self, message, entity_of(frozen_record(entity))->scene, scene)));
    // It is in memory, but what is in its scene may be still on its way there.
    if (is_to_read)
        TRY(scene_cache_need_to_read(self, scene, message, &is_vast));
    else
        TRY(scene_cache_need(self, scene, message));
    if (is_vast)
        return entity_pages_fetch(self, scene, kind, key, message);
    *ret_entity = entity;
    return OK;
}

fallible
entity_find(struct shard *self, struct message *message, const struct entity_kind *kind,
            const struct text *key, const frozen_t **ret_entity)
{
    return find(self, message, kind, key, false, ret_entity);
}

// The entity that was read alone for the message.
static fallible
take_read(struct shard *self, struct message *message, const struct entity_kind *kind,
          const struct text *key, const frozen_t **ret_entity)
{
    struct entity_pages *pages = entity_pages_of(message);
    const struct scene_state *scene = scenes_find(self, pages->scene->key);
    TRY(hidden(kind, key, entity_pages_check(pages, scene)));
    const frozen_t *entity = entity_pages_next(self, pages);
    if (!entity)
        return no_entity(kind, key);
    TRY(hidden(kind, key, scene_to_read(self, message, scene->key, scene)));
    *ret_entity = entity;
    return OK;
}

fallible
entity_read(struct shard *self, struct message *message, const struct entity_kind *kind,
            const struct text *key, const frozen_t **ret_entity)
{
    const struct entity_pages *pages = entity_pages_of(message);
    if (pages && pages->scene->cache_state != SCENE_IN_MEMORY)
        return take_read(self, message, kind, key, ret_entity);
    if (pages) // somebody needed all of it meanwhile, and memory may know better than the store
        message_end_work(message);
    return find(self, message, kind, key, true, ret_entity);
}

// For who wants all of the scene, or (NEED_TO_WRITE) the entity alone.
static fallible
find_latest(struct shard *self, struct message *message, const struct entity_kind *kind,
            const struct text *key, enum scene_need need, struct scene_state **ret_scene,
            const frozen_t **ret_entity)
{
    struct scene_state *scene = NULL;
    const frozen_t *entity = NULL;
    bool is_apart;
    if (key_is_generated(key)) {
        TRY(find_generated_latest(self, message, kind, key, need, &scene, &entity));
    } else {
        scene = scenes_latest(self, message->params->scene);
        TRY(find_chosen_latest(self, message, kind, key, need, scene, &entity));
    }
    if (!entity || !scene || scene_is_deleting(self, scene))
        return no_entity(kind, key);
    TRY(hidden(kind, key,
               scene_to_write(self, message, entity_of(frozen_record(entity))->scene, scene)));
    TRY(scene_cache_need_for(self, need, scene, message, &is_apart));
    *ret_scene = scene;
    *ret_entity = entity;
    return OK;
}

fallible
entity_latest(struct shard *self, struct message *message, const struct entity_kind *kind,
              const struct text *key, struct scene_state **ret_scene, const frozen_t **ret_entity)
{
    return find_latest(self, message, kind, key, NEED_WHOLE, ret_scene, ret_entity);
}

fallible
entity_latest_alone(struct shard *self, struct message *message, const struct entity_kind *kind,
                    const struct text *key, struct scene_state **ret_scene,
                    const frozen_t **ret_entity)
{
    return find_latest(self, message, kind, key, NEED_TO_WRITE, ret_scene, ret_entity);
}
