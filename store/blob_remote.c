// blob_remote.c - see blob_remote.h.
#include "store/blob_remote.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "store/blob_referred.h"

enum { SWEEP_AGAIN_MS = 30000 }; // behind a removal that failed

// --- put ---

fallible
blob_remote_put(struct folder *self, const struct blob_hash *hash, int file)
{
    char object[BLOB_HEX_SIZE];
    struct blob_transfer *mine;
    blob_hash_to_hex(hash, object);
    pthread_mutex_lock(&self->lock);
    enum error error =
        blob_transfer_begin(&self->transfers, &self->lock, hash, BLOB_PUT, &mine, NULL);
    pthread_mutex_unlock(&self->lock);
    if (!mine)
        return error; // others put the same bytes: they are there, or not
    error = blob_provider_put(self->provider, object, file);
    pthread_mutex_lock(&self->lock);
    blob_transfer_end(&self->transfers, mine, error, -1);
    pthread_mutex_unlock(&self->lock);
    return error;
}

// --- room: copies give way to what must be written ---

static bool
has_room(const struct folder *self)
{
    uint64_t free_bytes;
    return !self->meter(self->path, &free_bytes) || free_bytes >= self->reserve;
}

static bool
let_oldest_go(struct folder *self)
{
    struct blob_hash hash;
    pthread_mutex_lock(&self->lock);
    bool is_one = blob_cache_next_oldest(&self->cache, &hash);
    if (is_one)
        folder_remove(self, &hash);
    pthread_mutex_unlock(&self->lock);
    return is_one;
}

bool
blob_remote_make_room(struct folder *self)
{
    bool is_enough = has_room(self);
    unsigned count = 0;
    for (; !is_enough && let_oldest_go(self); is_enough = has_room(self))
        count++;
    if (count)
        log_info("blob_copies_gave_way", "path=%s files=%u", self->path, count);
    return is_enough;
}

static uint64_t
copies_size(struct folder *self)
{
    pthread_mutex_lock(&self->lock);
    uint64_t size = self->cache.size;
    pthread_mutex_unlock(&self->lock);
    return size;
}

// The disk was full although it was measured: by others, or by a quota that no meter sees.
static bool
let_half_go(struct folder *self)
{
    uint64_t size = copies_size(self);
    while (copies_size(self) > size / 2 && let_oldest_go(self))
        continue;
    return size > 0;
}

// --- fetch ---

static fallible
damaged(const char *object)
{
    log_error("blob_damaged", "object=%s what=%s", object, "hash, in the database");
    return fail(ERR_INTERNAL, "", "the bytes of this asset are damaged");
}

static fallible
no_room(const struct folder *self, const char *reason)
{
    log_error("blob_failed", "path=%s what=%s reason=%s", self->path, "copy", reason);
    return fail(ERR_UNAVAILABLE, "", "there is no room here for a copy of this asset");
}

static fallible
fill(struct folder *self, const char *object, int file)
{
    enum error error = blob_provider_fetch(self->provider, object, file);
    if (error != ERR_STORAGE_FULL || !let_half_go(self))
        return error;
    return ftruncate(file, 0) == 0 ? blob_provider_fetch(self->provider, object, file) : error;
}

// A disk that is full is not what whoever reads can do something about.
static fallible
fill_whole(struct folder *self, const struct blob_hash *hash, int file)
{
    char object[BLOB_HEX_SIZE];
    blob_hash_to_hex(hash, object);
    enum error error = fill(self, object, file);
    if (error == ERR_STORAGE_FULL)
        return no_room(self, "the disk is full");
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
    if (!blob_remote_make_room(self))
        return no_room(self, "less than the reserve is free");
    pthread_mutex_lock(&self->lock);
    folder_temporary(self, temporary);
    pthread_mutex_unlock(&self->lock);
    int file = openat(self->root, temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return no_room(self, strerror(errno));
    enum error error = fill_whole(self, hash, file);
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
    int file = folder_open(self, hash);
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
    struct blob_transfer *mine;
    pthread_mutex_lock(&self->lock);
    enum error error =
        blob_transfer_begin(&self->transfers, &self->lock, hash, BLOB_FETCH, &mine, ret_file);
    pthread_mutex_unlock(&self->lock);
    if (!mine)
        return error;
    int file = open_copy(self, hash);
    if (file < 0)
        error = fetch_alone(self, hash, &file);
    pthread_mutex_lock(&self->lock);
    blob_transfer_end(&self->transfers, mine, error, file);
    pthread_mutex_unlock(&self->lock);
    *ret_file = file;
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

static fallible
remove_both(struct folder *self, const struct blob_hash *hash)
{
    char object[BLOB_HEX_SIZE];
    blob_hash_to_hex(hash, object);
    folder_remove(self, hash);
    pthread_mutex_unlock(&self->lock);
    enum error error = blob_provider_remove(self->provider, object);
    if (error != OK)
        log_warning("blob_left", "object=%s reason=%s", object, fault_last()->detail);
    pthread_mutex_lock(&self->lock);
    return error;
}

bool
blob_remote_remove(struct folder *self, const struct blob_hash *hash)
{
    struct blob_transfer *mine;
    bool must_go = false;
    enum error error =
        blob_transfer_begin(&self->transfers, &self->lock, hash, BLOB_REMOVAL, &mine, NULL);
    if (mine) {
        must_go = blob_is_free(self, hash);
        error = must_go ? remove_both(self, hash) : OK;
        blob_transfer_end(&self->transfers, mine, error, -1);
    }
    if (error != OK)
        self->sweep_again_ms = clock_deadline_ms(SWEEP_AGAIN_MS);
    return must_go && error == OK;
}

struct sweeping {
    struct folder *folder;
    struct referred_walk *referred;
    size_t removed;
};

static bool
sweep_object(void *context, const char *object)
{
    struct sweeping *self = context;
    struct blob_hash hash;
    if (!blob_hash_from_hex(object, strlen(object), &hash) ||
        referred_walk_has(self->referred, &hash))
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
    struct sweeping sweeping = {self, referred_walk_create(self), 0};
    pthread_mutex_unlock(&self->lock);
    enum error error = blob_provider_list(self->provider, sweep_object, &sweeping);
    referred_walk_destroy(&sweeping.referred);
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
    blob_transfers_finish(&self->transfers);
    blob_cache_finish(&self->cache);
    blob_provider_destroy(&self->provider);
}
