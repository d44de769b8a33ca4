// repository_fetch.h - records by their keys, and by what they are found by. Those of a kind that
// is not all in memory (repository_kind.is_cached) may have to be read: by another thread, and the
// request waits; its handler runs again from the start. So a handler fetches before it stages
// anything. What it has fetched it finds (repository_find and the like) until it returns. A kind
// that is in memory is fetched by the same calls, which wait for postings alone.
#ifndef DIORAMA_ACTORS_REPOSITORY_REPOSITORY_FETCH_H
#define DIORAMA_ACTORS_REPOSITORY_REPOSITORY_FETCH_H

#include "actors/repository/repository.h"

// Whether a record with such a key may have to be read: its kind is cached, and some record may
// have the key.
bool repository_must_fetch(const struct repository *self, unsigned kind, const struct text *key);

// OK: *ret_record is the record as it is durable, or NULL where there is none; it is valid until
// the handler returns. PARKED: the message is kept until that is known. Fails where the store
// cannot be read.
fallible repository_fetch(struct repository *self, unsigned kind, const struct text *key,
                          struct message *message, const frozen_t **ret_record);

// The same of the record as it will be.
fallible repository_fetch_latest(struct repository *self, unsigned kind, const struct text *key,
                                 struct message *message, const frozen_t **ret_record);

// What a handler needs: a record by its key, or all records with a value in an index.
struct need {
    unsigned kind;
    unsigned row; // id of the index; 0 = by key
    const struct text *value;
};

// Needs that a request comes to; embedded, all zero is empty. The list is in the arena.
struct needs {
    struct need *items;
    size_t count, room;
};

void needs_add(struct needs *self, struct arena *arena, unsigned kind, unsigned row,
               const struct text *value);

// OK: all of them are known. PARKED, and failures, as above. What is not known is asked for at
// once. A need of a value that only few records have: they are in memory together.
fallible repository_need(struct repository *self, const struct needs *needs,
                         struct message *message);
// One need.
fallible repository_need_by(struct repository *self, unsigned kind, unsigned row,
                            const struct text *value, struct message *message);

// The records, as they are durable, that a need by index has found. Those whose text is longer than
// an index has of it may have another one that begins alike. Valid until the handler returns.
struct record_set *repository_posting(const struct repository *self, unsigned kind, unsigned row,
                                      const struct text *value);

// No stored record has the value, which was made just now: nobody needs to read that.
void repository_know_none(struct repository *self, unsigned kind, unsigned row,
                          const struct text *value);

// What has the value is gone: nobody will ask for that again. For commits that are applied.
void repository_forget_posting(struct repository *self, unsigned kind, unsigned row,
                               const struct text *value);

// A page of records of a cached kind for a handler that goes through many: by an index where
// `prefix` is not NULL, else by key.
struct record_page *repository_page(struct repository *self, unsigned kind,
                                    const struct key *prefix);
// Asks for the page (again: for the next), which it takes. PARKED: the handler runs again when it
// has arrived. Fails with ERR_UNAVAILABLE.
fallible repository_ask_page(struct repository *self, struct record_page **page,
                             struct message *message);
// The page that has arrived for the message whose handler runs; yours. NULL: none, or it was taken.
struct record_page *repository_take_page(struct repository *self, const struct message *message);

// The record stays in memory until repository_let_go, also where its kind is cached: for who is
// told of changes before they happen, and needs to know then what they take the place of. It is
// known.
void repository_hold(struct repository *self, unsigned kind, const struct text *key);
// What is held, as it is durable; NULL = there is none.
const frozen_t *repository_held(struct repository *self, unsigned kind, const struct text *key);
void repository_let_go(struct repository *self);

// A change of a record is durable: what is cached of it follows. `before` may be NULL where nobody
// knows it: then repository_fetch_unindexed tells what it is not found by any more.
void repository_fetch_committed(struct repository *self, unsigned kind, const struct text *key,
                                const frozen_t *before, const frozen_t *after);
// An index record of a leader is gone.
void repository_fetch_unindexed(struct repository *self, struct bytes key);

// For the actor's row of PAGE_READ: the page that was asked for.
actor_handler repository_fetched;

#endif
