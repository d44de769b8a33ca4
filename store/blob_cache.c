// blob_cache.c - see blob_cache.h.
#define _GNU_SOURCE // tdestroy
#include "store/blob_cache.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

enum { BLOCK_BYTES = 4096 };

struct cached_blob {
    struct blob_hash hash; // first: files are compared by it
    uint64_t size;
    struct cached_blob *newer, *older;
};

// Nodes of the tree begin with the pointer that was put in.
static struct cached_blob *
find(const struct blob_cache *self, const struct blob_hash *hash)
{
    void *node = tfind(hash, &self->files, blob_hash_compare);
    return node ? *(struct cached_blob **)node : NULL;
}

static void
unlink_from(struct blob_cache *self, struct cached_blob *file)
{
    if (file->newer)
        file->newer->older = file->older;
    else
        self->newest = file->older;
    if (file->older)
        file->older->newer = file->newer;
    else
        self->oldest = file->newer;
}

static void
link_newest(struct blob_cache *self, struct cached_blob *file)
{
    file->newer = NULL;
    file->older = self->newest;
    if (self->newest)
        self->newest->newer = file;
    else
        self->oldest = file;
    self->newest = file;
}

static void
forget(struct blob_cache *self, struct cached_blob *file)
{
    unlink_from(self, file);
    self->size -= file->size;
    tdelete(file, &self->files, blob_hash_compare);
    free(file);
}

void
blob_cache_add(struct blob_cache *self, const struct blob_hash *hash, uint64_t size)
{
    blob_cache_forget(self, hash);
    struct cached_blob *file = memory_take_zeroed(sizeof *file);
    file->hash = *hash;
    file->size = (size / BLOCK_BYTES + 1) * BLOCK_BYTES;
    if (!tsearch(file, &self->files, blob_hash_compare))
        abort();
    link_newest(self, file);
    self->size += file->size;
}

void
blob_cache_touch(struct blob_cache *self, const struct blob_hash *hash)
{
    struct cached_blob *file = find(self, hash);
    if (!file)
        return;
    unlink_from(self, file);
    link_newest(self, file);
}

void
blob_cache_forget(struct blob_cache *self, const struct blob_hash *hash)
{
    struct cached_blob *file = find(self, hash);
    if (file)
        forget(self, file);
}

bool
blob_cache_next_oldest(struct blob_cache *self, struct blob_hash *ret_hash)
{
    if (!self->oldest)
        return false;
    *ret_hash = self->oldest->hash;
    forget(self, self->oldest);
    return true;
}

bool
blob_cache_next_extra(struct blob_cache *self, struct blob_hash *ret_hash)
{
    return self->size > self->most && blob_cache_next_oldest(self, ret_hash);
}

void
blob_cache_finish(struct blob_cache *self)
{
    tdestroy(self->files, free);
    *self = (struct blob_cache){0};
}
