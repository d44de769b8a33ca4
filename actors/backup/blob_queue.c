// blob_queue.c - see blob_queue.h.
#include "actors/backup/blob_queue.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/base/memory.h"

enum { SECOND_US = 1000000, FOLDERS = 256 };

static const uint64_t margin_us = 600ull * SECOND_US;

struct blob_queue {
    blobs_t *blobs;
    pthread_mutex_t lock; // guards all below
    struct blob_hash *items;
    size_t count, capacity;
};

blob_queue_t *
blob_queue_create(blobs_t *blobs)
{
    blob_queue_t *self = memory_take_zeroed(sizeof *self);
    self->blobs = blobs;
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

void
blob_queue_destroy(blob_queue_t **self)
{
    if (!*self)
        return;
    blob_queue_clear(*self);
    pthread_mutex_destroy(&(*self)->lock);
    free((*self)->items);
    free(*self);
    *self = NULL;
}

void
blob_queue_note(void *queue, const struct blob_hash *hash)
{
    blob_queue_t *self = queue;
    pthread_mutex_lock(&self->lock);
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? 2 * self->capacity : 64;
        self->items = memory_resize(self->items, self->capacity * sizeof *self->items);
    }
    self->items[self->count++] = *hash;
    pthread_mutex_unlock(&self->lock);
}

static void
add_folder(blob_queue_t *self, const char *path, uint64_t since_us)
{
    struct blob_hash hash;
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        struct stat status;
        if (!blob_hash_from_hex(entry->d_name, strlen(entry->d_name), &hash) ||
            fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            (uint64_t)status.st_mtim.tv_sec * SECOND_US < since_us)
            continue;
        blob_keep(self->blobs, &hash);
        blob_queue_note(self, &hash);
    }
    if (directory)
        closedir(directory);
}

void
blob_queue_add_since(blob_queue_t *self, const char *data_dir, uint64_t time_us)
{
    for (unsigned i = 0; i < FOLDERS; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s/blobs/%02x", data_dir, i);
        add_folder(self, path, time_us > margin_us ? time_us - margin_us : 0);
    }
}

size_t
blob_queue_size(blob_queue_t *self)
{
    pthread_mutex_lock(&self->lock);
    size_t count = self->count;
    pthread_mutex_unlock(&self->lock);
    return count;
}

fallible
blob_queue_visit(blob_queue_t *self, size_t count,
                 enum error (*visit)(void *context, const struct blob_hash *hash), void *context)
{
    for (size_t i = 0; i < count; i++) {
        pthread_mutex_lock(&self->lock);
        struct blob_hash hash = self->items[i];
        pthread_mutex_unlock(&self->lock);
        TRY(visit(context, &hash));
    }
    return OK;
}

void
blob_queue_drop(blob_queue_t *self, size_t count)
{
    pthread_mutex_lock(&self->lock);
    count = count < self->count ? count : self->count;
    if (count == 0) {
        pthread_mutex_unlock(&self->lock);
        return;
    }
    struct blob_hash *gone = memory_take(count * sizeof *gone);
    memcpy(gone, self->items, count * sizeof *gone);
    memmove(self->items, self->items + count, (self->count - count) * sizeof *gone);
    self->count -= count;
    pthread_mutex_unlock(&self->lock);
    for (size_t i = 0; i < count; i++)
        blob_drop(self->blobs, &gone[i]);
    free(gone);
}

void
blob_queue_clear(blob_queue_t *self)
{
    blob_queue_drop(self, SIZE_MAX);
}
