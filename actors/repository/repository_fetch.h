// repository_fetch.h - records of a kind that is not all in memory (repository_kind.is_cached). A
// record that is not there is read by another thread, and the request waits: its handler runs again
// from the start. So a handler fetches before it stages anything.
#ifndef DIORAMA_ACTORS_REPOSITORY_REPOSITORY_FETCH_H
#define DIORAMA_ACTORS_REPOSITORY_REPOSITORY_FETCH_H

#include "actors/repository/repository.h"

// OK: *ret_record is the record as it is durable, or NULL where there is none; it is valid until
// the handler returns. PARKED: the message is kept until that is known. Fails where the store
// cannot be read.
fallible repository_fetch(struct repository *self, unsigned kind, const struct text *key,
                          struct message *message, const frozen_t **ret_record);

// The same of the record as it will be.
fallible repository_fetch_latest(struct repository *self, unsigned kind, const struct text *key,
                                 struct message *message, const frozen_t **ret_record);

// The record with this key is durable as it is now; NULL: it is gone.
void repository_fetch_committed(struct repository *self, unsigned kind, const struct text *key,
                                const frozen_t *record);

// For the actor's row of PAGE_READ: the page that was asked for.
actor_handler repository_fetched;

#endif
