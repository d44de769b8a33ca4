// token_secret.h - the key that tokens are hashed with is replaced: all sessions end. The user
// actor's thread.
#ifndef DIORAMA_ACTORS_USER_TOKEN_SECRET_H
#define DIORAMA_ACTORS_USER_TOKEN_SECRET_H

#include "actors/repository/repository.h"

// Draws a new key. When it is durable every token of before is worth nothing, that of the caller
// too; the answer says how many sessions ended.
actor_handler token_secret_rotate;

// The key is durable, or was read at the start (repository_kind.committed).
void token_secret_committed(struct repository *repository, const frozen_t *before,
                            const frozen_t *after);

#endif
