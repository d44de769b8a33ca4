// blob_remover.c - the thread that removes blobs which nobody needs, so that no caller waits for
// that: each when its last record or pin goes, and by a sweep what an earlier run left.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/condition.h"
#include "proto/base/log.h"
#include "store/blob_remote.h"

static bool
remove_blob(struct folder *self, const struct blob_hash *hash)
{
    return self->provider ? blob_remote_remove(self, hash) : folder_remove(self, hash);
}

// Removes the files of one folder that no record refers to, nor did since the folder was opened.
// The caller holds the lock.
static size_t
sweep_folder(struct folder *self, const char *name)
{
    struct blob_hash hash;
    size_t removed = 0;
    int descriptor = openat(self->root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = descriptor < 0 ? NULL : fdopendir(descriptor);
    for (struct dirent *file; directory && !self->is_ending && (file = readdir(directory));)
        if (blob_hash_from_hex(file->d_name, strlen(file->d_name), &hash) &&
            !blob_index_find(&self->index, &hash))
            removed += folder_remove(self, &hash);
    if (directory)
        closedir(directory);
    return removed;
}

static void
sweep(struct folder *self)
{
    size_t removed = 0;
    char name[3];
    for (unsigned i = 0; i < BLOB_FOLDERS && !self->is_ending; i++) {
        snprintf(name, sizeof name, "%02x", i);
        removed += sweep_folder(self, name);
        pthread_mutex_unlock(&self->lock); // others get the lock meanwhile
        pthread_mutex_lock(&self->lock);
    }
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
    while (!self->provider && blob_index_next_unused(&self->index, &hash))
        folder_remove(self, &hash);
    pthread_mutex_unlock(&self->lock);
    return NULL;
}
