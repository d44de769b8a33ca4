// token_index.h - which registration a feed token names.
#ifndef DIORAMA_ACTORS_SCENE_TOKEN_INDEX_H
#define DIORAMA_ACTORS_SCENE_TOKEN_INDEX_H

#include "proto/record/record.h"

struct shard;
struct scene_state;

// The device that this token as datagrams name it (udp_parser.h; NULL = none) names, whatever the
// scene; NULL where it names none.
const frozen_t *token_index_find(const struct shard *self, const struct text *token);
// The same in a scene: the right to change what is in it. Notes that the device was heard now.
const frozen_t *device_of_token(struct shard *self, const struct scene_state *scene,
                                const struct text *token);
// Whether the end of the device's registration to the scene is staged. Which of its locks end was
// decided then: one that came behind would stay for ever.
bool device_is_leaving(const struct shard *self, const struct scene_state *scene,
                       const struct text *device);
// When the device of a registration was heard last; 0 = never.
uint64_t token_index_heard_us(const struct shard *self, const frozen_t *device);
// A registration is durable.
void token_index_put(struct shard *self, const frozen_t *device);
// It ended, or another one took its place.
void token_index_remove(struct shard *self, const frozen_t *device);
void token_index_finish(struct shard *self);

#endif
