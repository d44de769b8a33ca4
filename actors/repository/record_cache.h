// record_cache.h - the records of kinds that are not all in memory: those that were used last, by
// kind and key, and all records of a value of an index (a *posting*), in a bounded number of bytes.
// It also knows which keys have no record, which entries are being read, and which requests wait
// for that. What is read loses against what was written meanwhile. One thread.
#ifndef DIORAMA_ACTORS_REPOSITORY_RECORD_CACHE_H
#define DIORAMA_ACTORS_REPOSITORY_RECORD_CACHE_H

#include <limits.h>

#include "actors/runtime/record_set.h"
#include "proto/base/table.h"
#include "proto/message/message.h"
#include "proto/record/record.h"
#include "store/store.h"

// In the place of a kind: the entry is a posting, and its key the prefix of its index records.
#define POSTING_KIND UINT_MAX

// The records of a value of an index, as they are durable.
struct posting {
    struct record_set set;
    struct table written; // struct text, owned: keys that were written while it was read
};

// One key, as it is durable.
struct cached_record {
    unsigned kind;
    struct text *key;             // owned
    struct posting *posting;      // owned; NULL = it is of one record
    const frozen_t *record;       // one reference; NULL = there is none, or nobody knows yet
    bool is_known;                // it was read or written
    bool is_asked;                // it is being read, and stays until that ends
    struct message_queue waiting; // for it to be read
    struct use_order *order;      // that it stands in
    struct cached_record *older, *newer;
    uint64_t used_turn;                                // it was found last
    uint64_t asked_turn;                               // it was asked for
    struct cached_record *asked_earlier, *asked_later; // of those that are asked for
    bool is_held;                                      // it stays until all that are held may go
    struct cached_record *next_held;
};

// Entries in the order of their last use.
struct use_order {
    struct cached_record *oldest, *newest;
    size_t count;
};

// So many keys and values that have no record are remembered: who asks for what there never was
// pushes nothing out.
enum { RECORD_ABSENCES_MOST = 64 };

// Embedded; all zero but for the limit is a valid empty cache.
struct record_cache {
    struct table entries;
    size_t limit;              // bytes
    size_t bytes;              // that the entries take
    struct use_order uses;     // of all but these:
    struct use_order absences; // of keys and values that are known to have no record
    size_t postings;           // of the entries
    uint64_t turn;
    struct cached_record *first_asked, *last_asked;
    struct cached_record *held;
};

// Messages that wait are destroyed.
void record_cache_finish(struct record_cache *self);

// What is known of a key; it is the newest then. NULL: nothing.
struct cached_record *record_cache_find(struct record_cache *self, unsigned kind,
                                        const struct text *key);

// The record of an entry that is known, which does not become the newest; NULL = there is none. It
// was found or taken in this turn: a handler that has not fetched it may find it by luck, and that
// shall be seen.
const frozen_t *record_cache_known(const struct record_cache *self, unsigned kind,
                                   const struct text *key);

// The same; makes an entry that nobody knows anything of where there is none.
struct cached_record *record_cache_take(struct record_cache *self, unsigned kind,
                                        const struct text *key);

// The record of the entry, as it was read or written (NULL = there is none). Takes a reference of
// its own.
void record_cache_set(struct record_cache *self, struct cached_record *entry,
                      const frozen_t *record);

// The entry is being read, or not any more.
void record_cache_begin_read(struct record_cache *self, struct cached_record *entry);
void record_cache_end_read(struct record_cache *self, struct cached_record *entry);

// The entry stays, also over turns, until record_cache_let_go: for who is told what will change
// before it does.
void record_cache_hold(struct record_cache *self, struct cached_record *entry);
// Nothing is held any more.
void record_cache_let_go(struct record_cache *self);

// --- postings ---

// What is known of a posting, which does not become the newest; NULL: nothing.
struct cached_record *record_cache_peek_posting(const struct record_cache *self,
                                                struct bytes prefix);
// The same as record_cache_take.
struct cached_record *record_cache_take_posting(struct record_cache *self, struct bytes prefix);
// A record came or changed, or left.
void record_cache_post(struct record_cache *self, struct cached_record *entry,
                       const frozen_t *record);
void record_cache_unpost(struct record_cache *self, struct cached_record *entry,
                         const struct text *key);
// A record was read, and then all of them.
void record_cache_post_read(struct record_cache *self, struct cached_record *entry,
                            const frozen_t *record);
void record_cache_posting_is_whole(struct record_cache *self, struct cached_record *entry);

// Forgets an entry for which nobody waits, and which is not held.
void record_cache_forget(struct record_cache *self, struct cached_record *entry);

// Forgets the least recently used until the rest fits, absences first. At the end of a turn, so
// that what a handler has found stays while it runs. What was used since the oldest read that is
// under way was asked for stays too: who waits for it needs both.
void record_cache_trim(struct record_cache *self);

#endif
