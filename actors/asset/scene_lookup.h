// scene_lookup.h - what the asset actor must know of scenes before it can answer: in which scene a
// key is, and whether the caller may read that scene. It asks the scene actors; the request waits
// meanwhile and runs again from the start, with the answers in its message. Runs on the asset
// actor's thread.
#ifndef DIORAMA_ACTORS_ASSET_SCENE_LOOKUP_H
#define DIORAMA_ACTORS_ASSET_SCENE_LOOKUP_H

#include "actors/runtime/actor.h"
#include "proto/base/table.h"
#include "proto/records/effect.h"

// Embedded; all zero is valid: no scene actor has announced itself.
struct scene_lookups {
    unsigned shards; // how many scene actors there are, as the first GREETING says
    uint64_t next_id;
    struct table open; // struct scene_lookup by id
};

// Destroys the requests that wait.
void scene_lookups_finish(struct scene_lookups *self);

// GREETING: a scene actor announces itself.
void scene_lookups_greeted(struct scene_lookups *self, const struct message *greeting);

// OK if it is known where the keys are. Else asks, and parks the message: its handler runs again.
// Fails with ERR_UNAVAILABLE if a scene actor cannot be asked now.
fallible scene_lookup_need(struct scene_lookups *self, actor_t *actor, struct message *message,
                           const struct text *const *keys, size_t count);

// Where the key is; its scene_id is 0 if it is the key of no scene and of nothing in one. NULL
// where nobody was asked. After scene_lookup_need.
const struct place *scene_lookup_find(const struct message *message, const struct text *key);

// The answer of a scene actor. Always PARKED.
enum error scene_lookup_answered(struct scene_lookups *self, actor_t *actor,
                                 struct message *message);

#endif
