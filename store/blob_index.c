// blob_index.c - who keeps and pins blobs. The caller holds the lock of the owner.
#define _GNU_SOURCE // tdestroy
#include "store/blob_index.h"

#include <assert.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

// Nodes of the tree begin with the pointer that was put in.
static struct blob_entry *
entry_of(void *node)
{
    return node ? *(struct blob_entry **)node : NULL;
}

struct blob_entry *
blob_index_find(const struct blob_index *self, const struct blob_hash *hash)
{
    return entry_of(tfind(hash, &self->entries, blob_hash_compare));
}

struct blob_entry *
blob_index_take(struct blob_index *self, const struct blob_hash *hash)
{
    struct blob_entry *entry = blob_index_find(self, hash);
    if (entry)
        return entry;
    entry = memory_take_zeroed(sizeof *entry);
    entry->hash = *hash;
    if (!tsearch(entry, &self->entries, blob_hash_compare))
        abort();
    return entry;
}

void
blob_index_note(struct blob_index *self, struct blob_entry *entry)
{
    if (blob_entry_is_counted(entry) || entry->is_unused)
        return;
    entry->is_unused = true;
    entry->next_unused = self->unused;
    self->unused = entry;
}

void
blob_index_forget(struct blob_index *self, struct blob_entry *entry)
{
    assert(!blob_entry_is_counted(entry) && !entry->is_unused);
    tdelete(entry, &self->entries, blob_hash_compare);
    free(entry);
}

bool
blob_index_next_unused(struct blob_index *self, struct blob_hash *ret_hash)
{
    struct blob_entry *entry;
    while ((entry = self->unused) != NULL) {
        self->unused = entry->next_unused;
        entry->is_unused = false;
        if (blob_entry_is_counted(entry))
            continue;
        *ret_hash = entry->hash;
        blob_index_forget(self, entry);
        return true;
    }
    return false;
}

void
blob_index_finish(struct blob_index *self)
{
    tdestroy(self->entries, free);
    *self = (struct blob_index){0};
}
