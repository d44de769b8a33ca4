// scene_lookup.h - what the asset actor must learn of scenes before it can answer: where keys live,
// and whether the caller may read it. The scene actors are asked, the request waits meanwhile and
// runs again from the start; what was learned goes with its message. Runs on the asset actor's
// thread.
#ifndef DIORAMA_ACTORS_ASSET_SCENE_LOOKUP_H
#define DIORAMA_ACTORS_ASSET_SCENE_LOOKUP_H

#include "actors/runtime/actor.h"
#include "proto/base/table.h"
#include "proto/records/effect.h"

// Embedded; all zero is valid: no scene actor is there.
struct scene_lookups {
    unsigned shards; // how many scene actors there are, as the first that greets says
    uint64_t next_id;
    struct table open; // struct scene_lookup by id
};

// Requests that wait are destroyed.
void scene_lookups_finish(struct scene_lookups *self);

// A scene actor is there.
void scene_lookups_greeted(struct scene_lookups *self, const struct message *greeting);

// OK where it is known where the keys live; else asks, and parks the message: its handler runs
// again. Fails with ERR_UNAVAILABLE where nobody can be asked now.
fallible scene_lookup_need(struct scene_lookups *self, actor_t *actor, struct message *message,
                           const struct text *const *keys, size_t count);

// Where the key lives; NULL where it is none of a scene or of what is in one. After
// scene_lookup_need.
const struct place *scene_lookup_find(const struct message *message, const struct text *key);

// An answer of one of those who were asked. Always PARKED.
enum error scene_lookup_answered(struct scene_lookups *self, actor_t *actor,
                                 struct message *message);

#endif
