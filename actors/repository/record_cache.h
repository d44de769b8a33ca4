// record_cache.h - the records of kinds that are not all in memory: those that were used last, by
// kind and key, in a bounded number of bytes. It also knows which keys have no record, which are
// being read, and which requests wait for that. What is read loses against what was written
// meanwhile. One thread.
#ifndef DIORAMA_ACTORS_REPOSITORY_RECORD_CACHE_H
#define DIORAMA_ACTORS_REPOSITORY_RECORD_CACHE_H

#include "proto/base/table.h"
#include "proto/message/message.h"
#include "proto/record/record.h"

// One key, as it is durable.
struct cached_record {
    unsigned kind;
    struct text *key;             // owned
    const frozen_t *record;       // one reference; NULL = there is none, or nobody knows yet
    bool is_known;                // it was read or written
    bool is_asked;                // it is being read, and stays until that ends
    struct message_queue waiting; // for it to be read
    struct cached_record *older, *newer;
};

// Embedded; all zero but for the limit is a valid empty cache.
struct record_cache {
    struct table entries;
    size_t limit; // bytes
    size_t bytes; // that the entries take
    struct cached_record *oldest, *newest;
};

// Messages that wait are destroyed.
void record_cache_finish(struct record_cache *self);

// What is known of a key; it is the newest then. NULL: nothing.
struct cached_record *record_cache_find(struct record_cache *self, unsigned kind,
                                        const struct text *key);

// The same; makes an entry that nobody knows anything of where there is none.
struct cached_record *record_cache_take(struct record_cache *self, unsigned kind,
                                        const struct text *key);

// The record of the entry, as it was read or written (NULL = there is none). Takes a reference of
// its own.
void record_cache_set(struct record_cache *self, struct cached_record *entry,
                      const frozen_t *record);

// Forgets an entry for which nobody waits.
void record_cache_forget(struct record_cache *self, struct cached_record *entry);

// Forgets the least recently used until the rest fits. At the end of a turn, so that what a handler
// has found stays while it runs.
void record_cache_trim(struct record_cache *self);

#endif
