// scene_family.h - what stands in the family "scene" (table: store/README.md). A record is in the
// part of its scene; a generated key says the part itself (partition.h).
#ifndef DIORAMA_ACTORS_SCENE_SCENE_FAMILY_H
#define DIORAMA_ACTORS_SCENE_SCENE_FAMILY_H

#include "proto/record/schema.h"
#include "store/key.h"

// Beside those of every actor (actor_family.h).
enum {
    KEY_SCENE = 'S',    // scene key              -> scene record
    KEY_OBJECT = 'O',   // scene id, object key   -> object record
    KEY_PROPERTY = 'P', // scene id, property key -> property record
    KEY_DEVICE = 'D',   // scene id, device key   -> registration
    KEY_EVIDENCE = 'E', // scene id, evidence id  -> correction
    KEY_LOOKUP = 'K',   // generated key          -> scene id, scene key
    KEY_LEAVING = 'W',  // scene id, device key   -> a device that left, whose locks are to end
    KEY_SWEEP = 'X',    // scene id               -> sweep to be resumed
    KEY_HOLDING = 'H',  // scene id, user id      -> bytes that the user pays for in the scene
    KEY_FENCE = 'F',    // scene id               -> newest fence of its locks
    KEY_LEASE = 'L',    // scene id, object key   -> how long the lease of its lock runs, in seconds
};

// The prefix of everything of that kind in a scene.
static inline struct key
key_of_scene_id(key_tag_t tag, uint64_t scene_id)
{
    return key_of_number(tag, scene_id);
}

static inline struct key
key_in_scene(key_tag_t tag, uint64_t scene_id, const struct text *text)
{
    return key_of_number_and_text(tag, scene_id, text);
}

// The scene id of such a key; false where the key is too short.
static inline bool
key_scene_id(struct bytes key, uint64_t *ret_scene_id)
{
    return key_number(key, ret_scene_id);
}

// The text of such a key, in the arena; NULL where the key is too short.
static inline const struct text *
key_text_in_scene(struct arena *arena, struct bytes key)
{
    return key_text_after_number(arena, key);
}

// The schema of the records under a tag.
const struct schema *scene_family_schema(key_tag_t tag);

#endif
