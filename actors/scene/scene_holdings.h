// scene_holdings.h - what users hold in a scene: the bytes in memory of its objects and properties.
// They count towards `record_bytes` of who made the entity, or made it larger last: nobody fills
// the budget of another user by writing into their scene. Where an entity names nobody (it is older
// than this rule), the owner of the scene pays; where that is nobody, it is free.
//
// The sum of each payer stands under KEY_HOLDING in the store, written in the same commit as the
// entities, so that a start reads sums and no entities. While the entities of a scene are in memory
// the sums follow each change; whenever they are read, the sums are made anew from them.
#ifndef DIORAMA_ACTORS_SCENE_SCENE_HOLDINGS_H
#define DIORAMA_ACTORS_SCENE_SCENE_HOLDINGS_H

#include "actors/runtime/staging.h"

struct shard;
struct scene_state;

// Writes in a batch beside the one that changes an entity: the sums of two payers.
enum { HOLDING_WRITES = 2 };

// Who pays for an entity of the scene; empty: nobody.
const struct text *scene_holdings_payer(const struct scene_state *scene, const frozen_t *entity);

// Whether the caller has room for `bytes` of new entities. Fails with ERR_OVER_STORED_BUDGET.
fallible scene_holdings_check_new(struct shard *self, const struct message *message, size_t bytes);
// `user` (NULL = nobody is known) changes an entity from `before` to `after`, loose, which takes
// `*bytes`. Where that is more than before, they pay for all of it: it names them, and `*bytes` is
// what it takes then. Fails with ERR_OVER_STORED_BUDGET where `is_limited` and there is no room.
fallible scene_holdings_grow(struct shard *self, const struct scene_state *scene,
                             const struct text *user, bool is_limited, const frozen_t *before,
                             struct record *after, size_t *bytes);

// A write of an entity (either may be NULL) joins the filling batch: the sums do too.
void scene_holdings_staged(struct shard *self, struct scene_state *scene, const frozen_t *before,
                           const frozen_t *after);
// A change of an entity was in a batch that failed.
void scene_holdings_dropped(struct shard *self, const struct change *change);
// The newest state is visible, but in no batch yet. Whether the sums have changed with it.
bool scene_holdings_changed(struct shard *self, struct scene_state *scene, const frozen_t *before,
                            const frozen_t *after);
// Puts into the filling batch what of the sums is in none, as far as there is room.
void scene_holdings_write(struct shard *self, struct scene_state *scene);

// A sum was read at the start.
void scene_holdings_known(struct shard *self, struct scene_state *scene, const struct text *payer,
                          int64_t bytes);
// The same of a scene at rest: what users hold in it counts towards their budgets.
void scene_holdings_known_at_rest(struct shard *self, const struct text *payer, int64_t bytes);
// The sum was read again when the scene woke: it counts already.
void scene_holdings_remembered(struct scene_state *scene, const struct text *payer, int64_t bytes);
// An entity of the scene was read; all were, or (`is_whole` false) the rest cannot be.
void scene_holdings_count(struct scene_state *scene, const frozen_t *entity);
void scene_holdings_counted(struct shard *self, struct scene_state *scene, bool is_whole);

// Whether the user pays for something in the scene, as the store or a batch has it.
bool scene_holdings_have(const struct scene_state *scene, const struct text *user);
// Stages the end of the sum of a user whom no entity names any more, nor the scene; one write.
void scene_holdings_forget(struct shard *self, struct scene_state *scene, const struct text *user);
// That end is durable, or failed.
void scene_holdings_committed(struct shard *self, const struct change *change);
void scene_holdings_kept(struct shard *self, const struct change *change);

// The scene is deleted: all of it is given back.
void scene_holdings_gone(struct shard *self, struct scene_state *scene);

#endif
