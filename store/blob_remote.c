// blob_remote.c - see blob_remote.h.
#include "store/blob_remote.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"

enum { SWEEP_AGAIN_MS = 30000 }; // behind a removal that failed

// --- one transfer of a blob at a time ---

static bool
is_under_way(const struct folder *self, const struct blob_hash *hash)
{
    const struct blob_transfer *other = self->transfers;
    while (other && memcmp(&other->hash, hash, sizeof *hash) != 0)
        other = other->next;
    return other != NULL;
}

// The caller holds the lock.
static void
begin_transfer(struct folder *self, const struct blob_hash *hash, struct blob_transfer *transfer)
{
    while (is_under_way(self, hash))
        pthread_cond_wait(&self->moved, &self->lock);
    *transfer = (struct blob_transfer){*hash, self->transfers};
    self->transfers = transfer;
}

static void
end_transfer(struct folder *self, const struct blob_transfer *transfer)
{
    struct blob_transfer **at = &self->transfers;
    while (*at != transfer)
        at = &(*at)->next;
    *at = transfer->next;
    pthread_cond_broadcast(&self->moved);
}

// --- put ---

fallible
blob_remote_put(struct folder *self, const struct blob_hash *hash, int file)
{
    char object[BLOB_HEX_SIZE];
    struct blob_transfer transfer;
    blob_hash_to_hex(hash, object);
    pthread_mutex_lock(&self->lock);
    begin_transfer(self, hash, &transfer);
    pthread_mutex_unlock(&self->lock);
    enum error error = blob_provider_put(self->provider, object, file);
    pthread_mutex_lock(&self->lock);
    end_transfer(self, &transfer);
    pthread_mutex_unlock(&self->lock);
    return error;
}

// --- fetch ---

static fallible
damaged(const char *object)
{
    log_error("blob_damaged", "object=%s what=%s", object, "hash, in the database");
    return fail(ERR_INTERNAL, "", "the bytes of this asset are damaged");
}

static fallible
no_room(const struct folder *self)
{
    log_error("blob_failed", "path=%s what=%s reason=%s", self->path, "copy", strerror(errno));
    return fail(ERR_UNAVAILABLE, "", "there is no room here for a copy of this asset");
}

// A file of the disk that is full is not what whoever reads can do something about.
static fallible
fill(struct folder *self, const struct blob_hash *hash, int file)
{
    char object[BLOB_HEX_SIZE];
    blob_hash_to_hex(hash, object);
    enum error error = blob_provider_fetch(self->provider, object, file);
    if (error == ERR_STORAGE_FULL)
        return no_room(self);
    if (error == OK && !folder_file_has(file, hash))
        return damaged(object);
    return error;
}

// The file is there now: under its name, or where that fails for who opened it alone.
static void
name_copy(struct folder *self, const struct blob_hash *hash, const char *temporary, int file)
{
    char name[BLOB_NAME_SIZE];
    struct stat status = {0};
    folder_name(hash, name);
    bool is_made = fstat(file, &status) == 0 && folder_make_for(self, hash) == OK;
    pthread_mutex_lock(&self->lock);
    if (is_made && renameat(self->root, temporary, self->root, name) == 0)
        blob_remote_note(self, hash, (uint64_t)status.st_size);
    pthread_mutex_unlock(&self->lock);
    unlinkat(self->root, temporary, 0); // unless it was renamed
}

static fallible
fetch_alone(struct folder *self, const struct blob_hash *hash, int *ret_file)
{
    char temporary[BLOB_TEMPORARY_SIZE];
    pthread_mutex_lock(&self->lock);
    folder_temporary(self, temporary);
    pthread_mutex_unlock(&self->lock);
    int file = openat(self->root, temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return no_room(self);
    enum error error = fill(self, hash, file);
    if (error != OK) {
        close(file);
        unlinkat(self->root, temporary, 0);
        return error;
    }
    name_copy(self, hash, temporary, file);
    *ret_file = file;
    return OK;
}

// Somebody else may have fetched it while this thread waited.
static int
open_copy(struct folder *self, const struct blob_hash *hash)
{
    char name[BLOB_NAME_SIZE];
    folder_name(hash, name);
    int file = openat(self->root, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file >= 0 && !folder_file_has(file, hash)) {
        log_warning("blob_copy_damaged", "path=%s/%s", self->path, name);
        close(file);
        file = -1;
    }
    return file;
}

fallible
blob_remote_fetch(struct folder *self, const struct blob_hash *hash, int *ret_file)
{
    struct blob_transfer transfer;
    enum error error = OK;
    pthread_mutex_lock(&self->lock);
    begin_transfer(self, hash, &transfer);
    pthread_mutex_unlock(&self->lock);
    int file = open_copy(self, hash);
    if (file >= 0)
        *ret_file = file;
    else
        error = fetch_alone(self, hash, ret_file);
    pthread_mutex_lock(&self->lock);
    end_transfer(self, &transfer);
    pthread_mutex_unlock(&self->lock);
    return error;
}

// --- the cache ---

void
blob_remote_note(struct folder *self, const struct blob_hash *hash, uint64_t size)
{
    struct blob_hash extra;
    blob_cache_add(&self->cache, hash, size);
    while (blob_cache_next_extra(&self->cache, &extra))
        folder_remove(self, &extra);
}

// --- removal ---

static bool
is_needed(struct folder *self, const struct blob_hash *hash)
{
    const struct blob_entry *entry = blob_index_find(&self->index, hash);
    return entry && (entry->references > 0 || entry->pins > 0);
}

bool
blob_remote_remove(struct folder *self, const struct blob_hash *hash)
{
    char object[BLOB_HEX_SIZE];
    struct blob_transfer transfer;
    enum error error = OK;
    blob_hash_to_hex(hash, object);
    begin_transfer(self, hash, &transfer);
    bool must_go = !is_needed(self, hash);
    if (must_go) {
        folder_remove(self, hash);
        pthread_mutex_unlock(&self->lock);
        error = blob_provider_remove(self->provider, object);
        if (error != OK)
            log_warning("blob_left", "object=%s reason=%s", object, fault_last()->detail);
        pthread_mutex_lock(&self->lock);
    }
    end_transfer(self, &transfer);
    if (error != OK)
        self->sweep_again_ms = clock_deadline_ms(SWEEP_AGAIN_MS);
    return must_go && error == OK;
}

struct sweeping {
    struct folder *folder;
    size_t removed;
};

static bool
sweep_object(void *context, const char *object)
{
    struct sweeping *self = context;
    struct blob_hash hash;
    if (!blob_hash_from_hex(object, strlen(object), &hash))
        return true;
    pthread_mutex_lock(&self->folder->lock);
    if (!blob_index_find(&self->folder->index, &hash))
        self->removed += blob_remote_remove(self->folder, &hash);
    bool goes_on = !self->folder->is_ending && !self->folder->sweep_again_ms;
    pthread_mutex_unlock(&self->folder->lock);
    return goes_on;
}

size_t
blob_remote_sweep(struct folder *self)
{
    struct sweeping sweeping = {self, 0};
    self->sweep_again_ms = 0;
    pthread_mutex_unlock(&self->lock);
    enum error error = blob_provider_list(self->provider, sweep_object, &sweeping);
    if (error != OK)
        log_warning("blobs_not_swept", "detail=%s", fault_last()->detail);
    pthread_mutex_lock(&self->lock);
    if (error != OK)
        self->sweep_again_ms = clock_deadline_ms(SWEEP_AGAIN_MS);
    return sweeping.removed;
}

// --- life ---

void
blob_remote_end(struct folder *self)
{
    assert(!self->transfers);
    blob_cache_finish(&self->cache);
    blob_provider_destroy(&self->provider);
}
