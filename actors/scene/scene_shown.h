// scene_shown.h - which scenes, and what in them, others read without asking this actor
// (proto/message/shown.h). What somebody has asked for is shown from then on; every change of what
// everybody sees is shown in the turn in which it happens, before anybody is answered. Only what is
// in memory is shown, and of entities those with a generated key. Scene actor's thread.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_SHOWN_H
#define DIORAMA_ACTORS_SCENE_SCENE_SHOWN_H

#include "proto/record/record.h"

struct scene_state;
struct shard;

// Somebody was answered with the scene, or with an entity in it (`scene` may be NULL then).
void scene_shown_put(struct shard *self, struct scene_state *scene);
void scene_shown_put_entity(struct shard *self, struct scene_state *scene, const frozen_t *entity);

// Its record is another one; the newest event has another number; an entity in it has a new state,
// or (NULL in the place of `now`) is gone.
void scene_shown_change(struct shard *self, const struct scene_state *scene);
void scene_shown_move(const struct scene_state *scene);
void scene_shown_change_entity(struct shard *self, const struct scene_state *scene,
                               const frozen_t *old, const frozen_t *now);

// Nothing of it is shown any more, whatever is in it.
void scene_shown_take(struct shard *self, struct scene_state *scene);

// Whether others have read the scene, or what is in it, since the last such question.
bool scene_shown_was_read(const struct scene_state *scene);

#endif
