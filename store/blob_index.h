// blob_index.h - the blobs that somebody in this process keeps or pins, by hash, and those of which
// nobody knows whether they are needed. What records refer to, and nobody has in hand, takes no
// memory. Not shared: its owner locks.
#ifndef DIORAMA_STORE_BLOB_INDEX_H
#define DIORAMA_STORE_BLOB_INDEX_H

#include "proto/message/blob.h"

struct blob_entry {
    struct blob_hash hash; // first: entries are compared by it
    uint32_t references;   // who keeps it
    uint32_t pins;
    bool is_referred; // a record has come to refer to it since it is here, and none has left
    bool is_doubted;  // records are asked about it; who pins or keeps it ends that
    bool is_unused;   // is in the list below
    struct blob_entry *next_unused;
};

// Embedded; all zero is a valid empty index.
struct blob_index {
    void *entries; // a tree of search.h
    struct blob_entry *unused;
};

// Whether somebody keeps or pins it.
static inline bool
blob_entry_is_counted(const struct blob_entry *self)
{
    return self->references > 0 || self->pins > 0;
}

struct blob_entry *blob_index_find(const struct blob_index *self, const struct blob_hash *hash);
// Finds an entry, or makes one with no counts.
struct blob_entry *blob_index_take(struct blob_index *self, const struct blob_hash *hash);

// Adds an entry without counts to the list of unused ones.
void blob_index_note(struct blob_index *self, struct blob_entry *entry);

// Removes the next entry that still has no counts from the list and from the index, and returns its
// hash. False if there is none.
bool blob_index_next_unused(struct blob_index *self, struct blob_hash *ret_hash);

// Removes an entry without counts that is not in the list of unused ones.
void blob_index_forget(struct blob_index *self, struct blob_entry *entry);

void blob_index_finish(struct blob_index *self);

#endif
