// store_health.h - whether the store takes the writes of a scene actor, for /readyz.
#ifndef DIORAMA_ACTORS_SCENE_STORE_HEALTH_H
#define DIORAMA_ACTORS_SCENE_STORE_HEALTH_H

#include "actors/runtime/actor.h"
#include "store/store.h"

struct shard;

struct store_health {
    enum store_result result; // STORE_OK, or why the last commit was refused
    uint64_t noted_ms;        // when that was
    bool is_doubted;          // a PING came, and the last result is old
};

bool store_health_is_good(const struct shard *self);
// What the newest commit said.
void store_health_note(struct shard *self, enum store_result result);
// Whether a commit is wanted only to learn that; true once.
bool store_health_wants_commit(struct shard *self);
enum error store_health_ping(actor_t *actor, struct message *message);

#endif
