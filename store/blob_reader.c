// blob_reader.c - opens a blob, but only after its bytes were found to have its hash. The finding
// is valid for a day, as long as the file is the same one and was not changed.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "store/blob_referred.h"
#include "store/blob_remote.h"

enum {
    BELIEVE_MS = 24 * 3600 * 1000, // how long a file that was found whole counts as whole
    SETTLED_US = 100000,           // longer than a tick of any system's clock
};

static struct blob_stamp
stamp_of(const struct stat *status)
{
    return (struct blob_stamp){status->st_ino, status->st_size, status->st_ctim};
}

static bool
is_believed(struct folder *self, const struct blob_hash *hash, const struct blob_stamp *stamp)
{
    pthread_mutex_lock(&self->lock);
    bool is_believed = blob_beliefs_has(&self->beliefs, hash, stamp);
    pthread_mutex_unlock(&self->lock);
    return is_believed;
}

// Changes within one tick of the system's clock have one stamp, so a file that changed just now may
// change again unnoticed.
static bool
is_settled(const struct blob_stamp *stamp, uint64_t looked_us)
{
    uint64_t changed_us =
        (uint64_t)stamp->changed.tv_sec * 1000000 + (uint64_t)stamp->changed.tv_nsec / 1000;
    return changed_us + SETTLED_US < looked_us;
}

static void
believe(struct folder *self, const struct blob_hash *hash, const struct blob_stamp *stamp)
{
    pthread_mutex_lock(&self->lock);
    blob_beliefs_note(&self->beliefs, hash, stamp, clock_deadline_ms(BELIEVE_MS));
    pthread_mutex_unlock(&self->lock);
}

static bool
is_whole(struct folder *self, int file, const struct blob_hash *hash, struct stat *ret_status)
{
    uint64_t looked_us = clock_calendar_us();
    if (fstat(file, ret_status) != 0 || !S_ISREG(ret_status->st_mode))
        return false;
    const struct blob_stamp stamp = stamp_of(ret_status);
    if (is_believed(self, hash, &stamp))
        return true;
    if (!folder_file_has(file, hash))
        return false;
    if (is_settled(&stamp, looked_us))
        believe(self, hash, &stamp);
    return true;
}

static fallible
damaged(const struct folder *self, const char *name, const char *what)
{
    log_error("blob_damaged", "path=%s/%s what=%s", self->path, name, what);
    return fail(ERR_INTERNAL, "", "the bytes of this asset are damaged");
}

static fallible
missing(struct folder *self, const struct blob_hash *hash, const char *name)
{
    int reason = errno;
    pthread_mutex_lock(&self->lock);
    const struct blob_entry *entry = blob_index_find(&self->index, hash);
    bool is_kept = entry && entry->references > 0;
    pthread_mutex_unlock(&self->lock);
    if (is_kept || blob_referred(self, hash) != BLOB_NOT_REFERRED || reason != ENOENT)
        return damaged(self, name, strerror(reason));
    return fail(ERR_NOT_FOUND, "", "there are no such bytes");
}

// Of a provider: nothing else is opened that was not read.
static fallible
fetch(struct folder *self, const struct blob_hash *hash, const char *name, int *ret_file,
      uint64_t *ret_size)
{
    struct stat status;
    int file = -1;
    enum error error = blob_remote_fetch(self, hash, &file);
    if (error == ERR_NOT_FOUND) {
        errno = ENOENT;
        return missing(self, hash, name);
    }
    if (error != OK)
        return error;
    if (fstat(file, &status) != 0) {
        close(file);
        return folder_failed(self, "open");
    }
    *ret_file = file;
    *ret_size = (uint64_t)status.st_size;
    return OK;
}

static void
note_use(struct folder *self, const struct blob_hash *hash)
{
    pthread_mutex_lock(&self->lock);
    blob_cache_touch(&self->cache, hash);
    pthread_mutex_unlock(&self->lock);
}

fallible
blob_reader_open(blobs_t *base, const struct blob_hash *hash, int *ret_file, uint64_t *ret_size)
{
    struct folder *self = folder_of(base);
    char name[BLOB_NAME_SIZE];
    struct stat status = {0};
    folder_name(hash, name);
    int file = folder_open(self, hash);
    bool is_there = file >= 0;
    if (!is_there && !self->provider)
        return missing(self, hash, name);
    if (!is_there || !is_whole(self, file, hash, &status)) {
        if (is_there)
            close(file);
        return self->provider ? fetch(self, hash, name, ret_file, ret_size)
                              : damaged(self, name, "hash");
    }
    if (self->provider)
        note_use(self, hash);
    *ret_file = file;
    *ret_size = (uint64_t)status.st_size;
    return OK;
}
