// blob_index.h - which blobs are referred to and held, by hash, and which of them were seen to be
// whole. Not shared: its owner locks.
#ifndef DIORAMA_STORE_BLOB_INDEX_H
#define DIORAMA_STORE_BLOB_INDEX_H

#include <sys/types.h>
#include <time.h>

#include "proto/message/blob.h"

// A file as it was: what is written or replaced after that has another stamp. All zero is nobody's.
struct blob_stamp {
    ino_t inode;
    off_t size;
    struct timespec changed;
};

struct blob_entry {
    struct blob_hash hash; // first: entries are compared by it
    uint32_t references;   // records
    uint32_t pins;
    struct blob_stamp whole; // of the file whose hash was right
    uint64_t look_again_ms;  // until then that is believed
    bool is_unused;          // waits in the list below
    struct blob_entry *next_unused;
};

// Embedded; all zero is a valid empty index.
struct blob_index {
    void *entries; // a tree of search.h
    struct blob_entry *unused;
};

struct blob_entry *blob_index_find(const struct blob_index *self, const struct blob_hash *hash);
// Finds it, or makes it with nothing counted.
struct blob_entry *blob_index_take(struct blob_index *self, const struct blob_hash *hash);

// Puts an entry that nothing counts for into the list of the unused.
void blob_index_note(struct blob_index *self, struct blob_entry *entry);

// Takes the next one out of the list for which still nothing counts, and out of the index; the hash
// is its name. False where there is none.
bool blob_index_next_unused(struct blob_index *self, struct blob_hash *ret_hash);

void blob_index_finish(struct blob_index *self);

#endif
