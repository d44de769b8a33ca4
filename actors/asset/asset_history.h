// asset_history.h - which files are versions of one another: the chain that a version joins and
// leaves. The newest one is the current one.
#ifndef DIORAMA_ACTORS_ASSET_ASSET_HISTORY_H
#define DIORAMA_ACTORS_ASSET_ASSET_HISTORY_H

#include "actors/repository/repository.h"

// The history that an asset will have, or NULL. PARKED: it must be read first; the handler of the
// message runs again then.
fallible asset_history_latest(struct repository *repository, struct message *message,
                              const struct record *asset, const frozen_t **ret_history);
// Whether the key is that of a version in the history (NULL = none).
bool asset_history_has(const frozen_t *history, const struct text *key);

// Whether `asset` is the current version and another one may follow it. Fails with ERR_CONFLICT.
fallible asset_history_check_current(const struct record *asset, const frozen_t *history);

// For the history (NULL = none yet) with one key more or less, and `others` writes.
struct room asset_history_room(const frozen_t *history, struct room others);

// Sets when it was stored: now.
void asset_stamp(struct message *message, struct record *asset);

// Gives `after` (loose) what makes it the version behind `before`: a key, the history, the time.
void asset_history_begin_version(struct message *message, const struct record *before,
                                 struct record *after);
// Stages it in the place of `before`, with its history (NULL = `before` has none yet), moves all
// relationships to it, and adds it to the reply. `bytes` is what else the caller stages, one record
// at most. PARKED or ERR_CONFLICT: there is no room; nothing is staged.
fallible asset_history_follow(struct repository *repository, struct message *message,
                              const frozen_t *before, const frozen_t *history,
                              const struct record *after, size_t bytes);

// An asset leaves its history: the newest version that is left becomes the current one. An empty
// history is deleted; NULL: it has none.
void asset_history_leave(struct repository *repository, struct message *message,
                         const struct record *asset, const frozen_t *history);

#endif
