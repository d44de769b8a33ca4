// entity_lookup.c - things by their keys, for readers and for writers (decisions 3): a generated
// key leads to its thing whatever scene the URL names, a chosen one is looked for in that scene
// alone. Who may not reach the scene does not find the thing.

#include "actors/scene/scene_shard.h"
#include "proto/message/partition.h"

static fallible
no_thing(const struct kind *kind, const struct text *key)
{
    return fail(ERR_NOT_FOUND, "", "there is no %s %s", kind->noun, text_chars(key));
}

bool
thing_is_staged(const struct shard *self, const struct scene_state *scene,
                const struct record *thing)
{
    return staging_latest(&self->staging, kind_of(thing)->tag, scene, record_key(thing)) != NULL;
}

// A generated key leads to its thing, whatever scene the URL names.
static fallible
find_generated(struct shard *self, struct message *message, const struct kind *kind,
               const struct text *key, struct scene_state **ret_scene,
               const struct record **ret_thing)
{
    const struct record *thing = resident_find(self, kind, key);
    if (!thing)
        return residency_look_up(self, kind, key, message);
    *ret_scene = scenes_find(self, thing_of(thing)->scene);
    *ret_thing = thing;
    return OK;
}

static fallible
find_generated_latest(struct shard *self, struct message *message, const struct kind *kind,
                      const struct text *key, struct scene_state **ret_scene,
                      const struct record **ret_thing)
{
    const struct change *change = staging_latest(&self->staging, kind->tag, NULL, key);
    if (!change)
        return find_generated(self, message, kind, key, ret_scene, ret_thing);
    *ret_scene = change->scene;
    *ret_thing = change->record;
    return OK;
}

// A key that a client chose is found in the URL's scene only, `scene` (NULL = there is none).
static fallible
need_chosen(struct shard *self, struct message *message, const struct kind *kind,
            const struct text *key, struct scene_state *scene)
{
    if (!kind->choose_key || !scene)
        return no_thing(kind, key);
    return residency_need(self, scene, message);
}

const struct record *
thing_latest_in_scene(const struct shard *self, const struct kind *kind,
                      const struct scene_state *scene, const struct text *key)
{
    const struct change *change = staging_latest(&self->staging, kind->tag, scene, key);
    return change ? change->record : record_set_find(&scene->things[kind->place], key);
}

// A thing in a scene that may not be seen is answered as one that is not there: not even the name
// of the scene is told.
static fallible
hidden(const struct kind *kind, const struct text *key, enum error error)
{
    return error == ERR_NOT_FOUND ? no_thing(kind, key) : error;
}

fallible
thing_find(struct shard *self, struct message *message, const struct kind *kind,
           const struct text *key, const struct record **ret_thing)
{
    struct scene_state *scene = NULL;
    const struct record *thing = NULL;
    if (key_is_generated(key)) {
        TRY(find_generated(self, message, kind, key, &scene, &thing));
    } else {
        scene = scenes_find(self, message->params->scene);
        TRY(need_chosen(self, message, kind, key, scene));
        thing = record_set_find(&scene->things[kind->place], key);
    }
    if (!thing)
        return no_thing(kind, key);
    TRY(hidden(kind, key, scene_to_read(self, message, thing_of(thing)->scene, scene)));
    TRY(residency_need(self, scene, message)); // marks the use: it is in memory
    *ret_thing = thing;
    return OK;
}

fallible
thing_latest(struct shard *self, struct message *message, const struct kind *kind,
             const struct text *key, struct scene_state **ret_scene, const struct thing **ret_thing)
{
    struct scene_state *scene = NULL;
    const struct record *thing = NULL;
    if (key_is_generated(key)) {
        TRY(find_generated_latest(self, message, kind, key, &scene, &thing));
    } else {
        scene = scenes_latest(self, message->params->scene);
        TRY(need_chosen(self, message, kind, key, scene));
        thing = thing_latest_in_scene(self, kind, scene, key);
    }
    if (!thing || !scene || scene->is_doomed)
        return no_thing(kind, key);
    TRY(hidden(kind, key, scene_to_write(self, message, thing_of(thing)->scene, scene)));
    TRY(residency_need(self, scene, message));
    *ret_scene = scene;
    *ret_thing = thing_of(thing);
    return OK;
}
