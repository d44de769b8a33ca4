// entity_kind.h - the kinds of entities that live in a scene: objects and properties. A kind is a
// row: where it is stored, what its records look like, and the little that only it does. Everything
// else (find, create, read, query, change, delete, actions, updates by UDP, memory, recovery) is
// done once for all kinds (entities.c, animation.c, scene_cache.c, udp_updates.c).
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_ENTITY_KIND_H
#define DIORAMA_ACTORS_SCENE_ENTITY_ENTITY_KIND_H

#include "actors/scene/scene_family.h"
#include "proto/message/message.h"
#include "proto/record/path.h"
#include "proto/records/entity.h"
#include "proto/spatial/geo_frame.h"

struct lock_claim;
struct shard;
struct scene_state;

enum entity_place { OBJECTS, PROPERTIES, ENTITY_KIND_COUNT };

struct entity_kind {
    enum entity_place place;
    const char *noun; // in sentences
    key_tag_t tag;
    const struct schema *schema;   // of what is stored
    const struct schema *edit;     // of what a request says of one; begins with the schema's struct
    const struct schema *action;   // of its actions
    const struct schema *keyframe; // and of their keyframes
    size_t param;                  // offset in struct params of the key that a request names
    enum operation get;            // its reply view is what entity tags are made of

    // Readies the edit, a loose copy of its own, to be merged over `stored` (NULL = a new one):
    // what was sent in other forms is composed. `path` is the place of the edit in the body.
    enum error (*prepare)(struct record *edit, const struct entity *stored,
                          const struct path *path);
    // The same for a keyframe; NULL where there is nothing to compose.
    enum error (*prepare_keyframe)(struct record *edit, const struct record *stored,
                                   const struct path *path);
    // Turns what the edit says by a place on Earth into what `prepare` takes. `at` is the place of
    // the edit in the body, `scene` the durable record of its scene, or NULL. NULL where nothing
    // has such a place.
    enum error (*locate)(struct arena *arena, struct record *edit, const char *at,
                         const struct record *scene);
    // The entity as an answer shows it whose request asks for its place on Earth.
    enum error (*show_place)(struct message *message, const struct record *entity,
                             const struct record *scene, struct record **ret_shown);
    // The same of all entities of the answer, where they have one.
    void (*show_places)(struct message *message, const struct record *scene);
    // Where on Earth an entity is whose scene has this frame; false: nowhere. NULL as above.
    bool (*find_place)(const struct geo_frame *frame, const struct record *entity,
                       struct geo_pose *ret_pose);
    // The client's key for a new entity, or NULL: one is generated.
    enum error (*choose_key)(const struct record *edit, const struct path *path,
                             const struct text **ret_key);
    // Whether a write with this claim may change it now; NULL = always. Fails with ERR_LOCKED, or
    // with ERR_INVALID where the claim is none.
    enum error (*permits)(struct shard *shard, struct message *message,
                          const struct scene_state *scene, const struct entity *entity,
                          const struct lock_claim *claim);
    // What follows for `changed`, loose, which a write with this claim made of `stored`; may be
    // NULL.
    void (*follows)(struct arena *arena, const struct entity *stored,
                    const struct lock_claim *claim, struct record *changed);
    // Whether the request may make `changed` of `stored` (NULL = a new one); NULL = always. Fails
    // with ERR_FORBIDDEN.
    enum error (*allows)(const struct message *message, const struct entity *stored,
                         const struct record *changed);
};

extern const struct entity_kind *const entity_kinds[ENTITY_KIND_COUNT];

// The kind of a record; NULL where it is no entity (a scene, a device).
static inline const struct entity_kind *
entity_kind_of(const struct record *record)
{
    for (int i = 0; i < ENTITY_KIND_COUNT; i++)
        if (record->schema == entity_kinds[i]->schema || record->schema == entity_kinds[i]->edit)
            return entity_kinds[i];
    return NULL;
}

// The kind that is stored under the tag, or NULL.
static inline const struct entity_kind *
entity_kind_of_tag(key_tag_t tag)
{
    for (int i = 0; i < ENTITY_KIND_COUNT; i++)
        if (entity_kinds[i]->tag == tag)
            return entity_kinds[i];
    return NULL;
}

static inline const struct text *
entity_kind_param(const struct entity_kind *self, const struct params *params)
{
    return *(const struct text *const *)(const void *)((const char *)params + self->param);
}

#endif
