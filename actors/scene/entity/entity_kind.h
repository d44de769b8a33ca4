// entity_kind.h - the kinds of things that live in a scene: objects and properties. A kind is a
// row: where it is stored, what its records look like, and the little that only it does. Everything
// else (find, create, read, query, change, delete, actions, updates by UDP, memory, recovery) is
// done once for all kinds (things.c, actions.c, residency.c, datagrams.c).
#ifndef DIORAMA_ACTORS_SCENE_ENTITY_ENTITY_KIND_H
#define DIORAMA_ACTORS_SCENE_ENTITY_ENTITY_KIND_H

#include "proto/message/message.h"
#include "proto/record/path.h"
#include "proto/records/entity.h"
#include "store/key.h"

struct shard;
struct scene_state;

enum kind_place { OBJECTS, PROPERTIES, KIND_COUNT };

struct kind {
    enum kind_place place;
    const char *noun; // in sentences
    enum key_tag tag;
    const struct schema *schema;   // of what is stored
    const struct schema *edit;     // of what a request says of one; begins with the schema's struct
    const struct schema *action;   // of its actions
    const struct schema *keyframe; // and of their keyframes
    size_t param;                  // offset in struct params of the key that a request names
    enum operation get;            // its reply view is what entity tags are made of

    // Readies the edit, a loose copy of its own, to be merged over `stored` (NULL = a new one):
    // what was sent in other forms is composed. `path` is the place of the edit in the body.
    enum error (*prepare)(struct record *edit, const struct thing *stored, const struct path *path);
    // The same for a keyframe; NULL where there is nothing to compose.
    enum error (*prepare_keyframe)(struct record *edit, const struct record *stored,
                                   const struct path *path);
    // The client's key for a new thing, or NULL: one is generated.
    enum error (*choose_key)(const struct record *edit, const struct path *path,
                             const struct text **ret_key);
    // Whether `device` may change it now; NULL = always. Fails with ERR_LOCKED.
    enum error (*permits)(struct shard *shard, struct message *message, const struct thing *thing,
                          const struct text *device);
};

extern const struct kind object_kind;   // objects.c
extern const struct kind property_kind; // properties.c

extern const struct kind *const kinds[KIND_COUNT];

// The kind of a record; NULL where it is no thing (a scene, a device).
static inline const struct kind *
kind_of(const struct record *record)
{
    for (int i = 0; i < KIND_COUNT; i++)
        if (record->schema == kinds[i]->schema || record->schema == kinds[i]->edit)
            return kinds[i];
    return NULL;
}

// The kind that is stored under the tag, or NULL.
static inline const struct kind *
kind_of_tag(enum key_tag tag)
{
    for (int i = 0; i < KIND_COUNT; i++)
        if (kinds[i]->tag == tag)
            return kinds[i];
    return NULL;
}

static inline const struct text *
kind_param(const struct kind *self, const struct params *params)
{
    return *(const struct text *const *)(const void *)((const char *)params + self->param);
}

#endif
