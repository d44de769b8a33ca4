// blob_cache.h - which files of the folder are copies of what a provider has, and in which order
// they were used: the least recently used ones leave where all take too much. Not shared: its owner
// locks.
#ifndef DIORAMA_STORE_BLOB_CACHE_H
#define DIORAMA_STORE_BLOB_CACHE_H

#include "proto/message/blob.h"

struct cached_blob;

// Embedded; all zero is a valid empty cache in which nothing stays.
struct blob_cache {
    void *files; // a tree of search.h
    struct cached_blob *newest, *oldest;
    uint64_t size; // of all, each in whole blocks of the file system: so it bounds their number too
    uint64_t most;
};

// A file is there, and was used now.
void blob_cache_add(struct blob_cache *self, const struct blob_hash *hash, uint64_t size);
// It was used now, if it is there.
void blob_cache_touch(struct blob_cache *self, const struct blob_hash *hash);
void blob_cache_forget(struct blob_cache *self, const struct blob_hash *hash);

// While all take more than they may: the least recently used one, which the cache forgets.
bool blob_cache_next_extra(struct blob_cache *self, struct blob_hash *ret_hash);

// The same where they must give way to others, whatever they take.
bool blob_cache_next_oldest(struct blob_cache *self, struct blob_hash *ret_hash);

void blob_cache_finish(struct blob_cache *self);

#endif
