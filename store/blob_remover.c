// blob_remover.c - the thread that removes blobs which nobody needs, so that no caller waits for
// that: each when its last record or pin goes, and by a sweep what an earlier run left.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/buffer.h"
#include "proto/base/clock.h"
#include "proto/base/condition.h"
#include "proto/base/log.h"
#include "store/blob_referred.h"
#include "store/blob_remote.h"

static bool
remove_blob(struct folder *self, const struct blob_hash *hash)
{
    if (self->provider)
        return blob_remote_remove(self, hash);
    return blob_is_free(self, hash) && folder_remove(self, hash);
}

// The blobs that have a file in the folder `name`, in their order.
static void
list_files(const struct folder *self, const char *name, struct buffer *hashes)
{
    struct blob_hash hash;
    int descriptor = openat(self->root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = descriptor < 0 ? NULL : fdopendir(descriptor);
    for (struct dirent *file; directory && (file = readdir(directory));)
        if (blob_hash_from_hex(file->d_name, strlen(file->d_name), &hash))
            buffer_put(hashes, &hash, sizeof hash);
    if (directory)
        closedir(directory);
    if (hashes->size)
        qsort(hashes->data, hashes->size / sizeof hash, sizeof hash, blob_hash_compare);
}

// What came since the files were listed is in the index, or records refer to it.
static bool
sweep_file(struct folder *self, const struct blob_hash *hash)
{
    pthread_mutex_lock(&self->lock);
    bool is_gone =
        !self->is_ending && !blob_index_find(&self->index, hash) && remove_blob(self, hash);
    pthread_mutex_unlock(&self->lock);
    return is_gone;
}

// Removes the files of one folder that nobody needs. Without the lock.
static size_t
sweep_folder(struct folder *self, const char *name, struct referred_walk *referred)
{
    struct buffer hashes = {0};
    size_t removed = 0;
    list_files(self, name, &hashes);
    const struct blob_hash *items = (const void *)hashes.data;
    for (size_t i = 0; i < hashes.size / sizeof *items; i++)
        if (!referred_walk_has(referred, &items[i]))
            removed += sweep_file(self, &items[i]);
    buffer_finish(&hashes);
    return removed;
}

static size_t
sweep_folders(struct folder *self)
{
    size_t removed = 0;
    char name[3];
    struct referred_walk *referred = referred_walk_create(self);
    for (unsigned i = 0; i < BLOB_FOLDERS && !self->is_ending; i++) {
        snprintf(name, sizeof name, "%02x", i);
        pthread_mutex_unlock(&self->lock);
        removed += sweep_folder(self, name, referred);
        pthread_mutex_lock(&self->lock);
    }
    referred_walk_destroy(&referred);
    return removed;
}

// Copies of what a provider has go with what it has.
static void
sweep(struct folder *self)
{
    self->sweep_again_ms = 0;
    size_t removed = sweep_folders(self);
    if (self->provider)
        removed = blob_remote_sweep(self);
    log_info("blobs_swept", "path=%s removed=%zu", self->path, removed);
}

// What could not be removed from a database that was away is looked for again.
static bool
is_sweep_due(const struct folder *self)
{
    bool is_again = self->has_counted && self->sweep_again_ms;
    return self->must_sweep || (is_again && clock_left_ms(self->sweep_again_ms) == 0);
}

static void
await_work(struct folder *self)
{
    if (self->has_counted && self->sweep_again_ms && !self->holds)
        condition_await(&self->woken, &self->lock, self->sweep_again_ms);
    else
        pthread_cond_wait(&self->woken, &self->lock);
}

void *
folder_remover_run(void *argument)
{
    struct folder *self = argument;
    struct blob_hash hash;
    pthread_mutex_lock(&self->lock);
    while (!self->is_ending) {
        if (!self->holds && blob_index_next_unused(&self->index, &hash)) {
            remove_blob(self, &hash);
        } else if (is_sweep_due(self) && !self->holds) {
            self->must_sweep = false;
            sweep(self);
        } else {
            await_work(self);
        }
    }
    // An end does not wait for a database: its next start sweeps.
    while (!self->provider && !self->holds && blob_index_next_unused(&self->index, &hash))
        remove_blob(self, &hash);
    pthread_mutex_unlock(&self->lock);
    return NULL;
}
