// blob_index.h - the references and pins of blobs, by hash, and which blobs were found to be whole.
// Not shared: its owner locks.
#ifndef DIORAMA_STORE_BLOB_INDEX_H
#define DIORAMA_STORE_BLOB_INDEX_H

#include <sys/types.h>
#include <time.h>

#include "proto/message/blob.h"

// The state of a file: a file that is written or replaced later has another stamp. All zero matches
// no file.
struct blob_stamp {
    ino_t inode;
    off_t size;
    struct timespec changed;
};

struct blob_entry {
    struct blob_hash hash; // first: entries are compared by it
    uint32_t references;   // records
    uint32_t pins;
    struct blob_stamp whole; // of the file whose hash was correct
    uint64_t look_again_ms;  // until then that is taken as still true
    bool is_unused;          // is in the list below
    struct blob_entry *next_unused;
};

// Embedded; all zero is a valid empty index.
struct blob_index {
    void *entries; // a tree of search.h
    struct blob_entry *unused;
};

static inline bool
blob_index_is_empty(const struct blob_index *self)
{
    return !self->entries;
}

struct blob_entry *blob_index_find(const struct blob_index *self, const struct blob_hash *hash);
// Finds an entry, or makes one with no counts.
struct blob_entry *blob_index_take(struct blob_index *self, const struct blob_hash *hash);

// Adds an entry without counts to the list of unused ones.
void blob_index_note(struct blob_index *self, struct blob_entry *entry);

// Removes the next entry that still has no counts from the list and from the index, and returns its
// hash. False if there is none.
bool blob_index_next_unused(struct blob_index *self, struct blob_hash *ret_hash);

void blob_index_finish(struct blob_index *self);

#endif
