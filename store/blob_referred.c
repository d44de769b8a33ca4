// blob_referred.c - asks the index of the records about blobs (blob_referred.h).
#include "store/blob_referred.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"

enum { PAGE = 1024, LOOK_AGAIN_MS = 30000 };

// --- one ---

static fallible
list(const struct folder *self, const struct blob_hash *low, size_t limit, struct blob_hash *hashes,
     size_t *ret_count)
{
    *ret_count = 0;
    if (!self->records.list)
        return OK;
    return self->records.list(self->records.context, low, limit, hashes, ret_count);
}

enum blob_reference
blob_referred(const struct folder *self, const struct blob_hash *hash)
{
    struct blob_hash found;
    size_t count;
    if (list(self, hash, 1, &found, &count) != OK)
        return BLOB_UNCERTAIN;
    return count && blob_hash_compare(&found, hash) == 0 ? BLOB_REFERRED : BLOB_NOT_REFERRED;
}

bool
blob_referred_is_any(const struct folder *self)
{
    struct blob_hash first = {{0}};
    size_t count;
    return list(self, &first, 1, &first, &count) == OK && count > 0;
}

// A sweep finds it.
static void
look_again(struct folder *self)
{
    self->sweep_again_ms = clock_deadline_ms(LOOK_AGAIN_MS);
}

bool
blob_is_free(struct folder *self, const struct blob_hash *hash)
{
    struct blob_entry *entry = blob_index_take(&self->index, hash);
    if (blob_entry_is_counted(entry))
        return false;
    entry->is_doubted = true;
    pthread_mutex_unlock(&self->lock);
    enum blob_reference reference = blob_referred(self, hash);
    pthread_mutex_lock(&self->lock);
    entry = blob_index_find(&self->index, hash);
    if (!entry || !entry->is_doubted)
        return false; // it was pinned
    entry->is_doubted = false;
    if (self->holds && reference == BLOB_NOT_REFERRED)
        blob_index_note(&self->index, entry); // for when nobody holds them
    if (entry->is_unused)
        return false;
    if (reference == BLOB_UNCERTAIN)
        look_again(self);
    blob_index_forget(&self->index, entry);
    return reference == BLOB_NOT_REFERRED;
}

// --- many ---

struct referred_walk {
    struct folder *folder;
    size_t count, place;
    bool is_last; // behind the page there are no more
    struct blob_hash page[PAGE];
};

struct referred_walk *
referred_walk_create(struct folder *folder)
{
    struct referred_walk *self = memory_take_zeroed(sizeof *self);
    self->folder = folder;
    return self;
}

void
referred_walk_destroy(struct referred_walk **self)
{
    free(*self);
    *self = NULL;
}

static bool
is_read(struct referred_walk *self, const struct blob_hash *low)
{
    self->place = 0;
    if (list(self->folder, low, PAGE, self->page, &self->count) != OK) {
        self->count = 0;
        pthread_mutex_lock(&self->folder->lock);
        look_again(self->folder);
        pthread_mutex_unlock(&self->folder->lock);
        return false;
    }
    self->is_last = self->count < PAGE;
    return true;
}

bool
referred_walk_has(struct referred_walk *self, const struct blob_hash *hash)
{
    for (;;) {
        while (self->place < self->count && blob_hash_compare(&self->page[self->place], hash) < 0)
            self->place++;
        if (self->place < self->count)
            return blob_hash_compare(&self->page[self->place], hash) == 0;
        if (self->is_last)
            return false;
        if (!is_read(self, hash))
            return true;
    }
}
