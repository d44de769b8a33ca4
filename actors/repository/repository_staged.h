// repository_staged.h - the records of a repository as they will be, for who changes them: what is
// staged counts before what is durable. A change is staged with the index records and the sums that
// belong to it, and becomes visible when its commit is durable (repository.h). The actor's thread.
#ifndef DIORAMA_ACTORS_REPOSITORY_REPOSITORY_STAGED_H
#define DIORAMA_ACTORS_REPOSITORY_REPOSITORY_STAGED_H

#include "actors/repository/repository.h"

// The record as it will be, or NULL.
const frozen_t *repository_latest(const struct repository *self, unsigned kind,
                                  const struct text *key);

// The same of a record that is durable now.
const frozen_t *repository_latest_of(const struct repository *self, unsigned kind,
                                     const frozen_t *durable);

// The records that will have this value (not the empty one) in `field`, in no order; the list is in
// the arena. Of a cached kind `field` is the member of a row of texts, which was needed before.
const frozen_t **repository_latest_by(const struct repository *self, unsigned kind, unsigned field,
                                      const struct text *value, struct arena *arena,
                                      size_t *ret_count);

// OK where the filling batch has room for that. Else PARKED: the message runs again when there is
// room. Fails with ERR_CONFLICT where not even an empty batch has room.
fallible repository_make_room(struct repository *self, struct message *message, struct room room);

// Whether the budgets of who pays have room for `after` (loose) in the place of `before` (NULL =
// nothing). Fails with ERR_OVER_STORED_BUDGET.
fallible repository_check_budget(const struct repository *self, unsigned kind,
                                 const struct message *message, const frozen_t *before,
                                 const struct record *after);

// Stages a put of a frozen copy of `record` over `before` (NULL = it is new). Returns the copy,
// borrowed until the batch is durable.
const frozen_t *repository_put(struct repository *self, unsigned kind, const struct record *record,
                               const frozen_t *before);
void repository_delete(struct repository *self, unsigned kind, const frozen_t *before);

// Answers the message once everything staged so far is durable. Always PARKED.
enum error repository_answer_durable(struct repository *self, struct message *message);

#endif
