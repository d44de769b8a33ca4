// blob.c - bytes of assets as content-addressed files: the engine, and the counts of each blob.
#include "store/blob.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "store/blob_referred.h"
#include "store/blob_remote.h"
#include "store/blob_scan.h"

enum {
    RESERVES_KEPT = 2, // of store.reserve: records still need room when uploads are refused
    TRANSFER_PATIENCE_MS = 60000, // how long anybody waits for a transfer that others make
};

// Counting and removing.

static void
folder_keep(blobs_t *base, const struct blob_hash *hash)
{
    struct folder *self = folder_of(base);
    pthread_mutex_lock(&self->lock);
    struct blob_entry *entry = blob_index_take(&self->index, hash);
    entry->references++;
    entry->is_doubted = false; // who asks records about it leaves it
    pthread_mutex_unlock(&self->lock);
}

// The remover looks whether records refer to it, where nobody has it in hand.
static void
note_unused(struct folder *self, struct blob_entry *entry)
{
    blob_index_note(&self->index, entry);
    if (entry->is_unused)
        pthread_cond_signal(&self->woken);
}

static void
folder_forget(struct folder *self, const struct blob_hash *hash, bool is_pin)
{
    pthread_mutex_lock(&self->lock);
    struct blob_entry *entry = blob_index_find(&self->index, hash);
    assert(entry && (is_pin ? entry->pins : entry->references) > 0);
    if (is_pin)
        entry->pins--;
    else
        entry->references--;
    if (!blob_entry_is_counted(entry) && entry->is_referred && !entry->is_unused)
        blob_index_forget(&self->index, entry); // records keep it
    else
        note_unused(self, entry);
    pthread_mutex_unlock(&self->lock);
}

static void
folder_drop(blobs_t *base, const struct blob_hash *hash)
{
    folder_forget(folder_of(base), hash, false);
}

static void
folder_unpin(blobs_t *base, const struct blob_hash *hash)
{
    folder_forget(folder_of(base), hash, true);
}

static void
folder_refer(blobs_t *base, const struct blob_hash *hash)
{
    struct folder *self = folder_of(base);
    pthread_mutex_lock(&self->lock);
    struct blob_entry *entry = blob_index_find(&self->index, hash);
    if (entry)
        entry->is_referred = true;
    pthread_mutex_unlock(&self->lock);
}

static void
folder_leave(blobs_t *base, const struct blob_hash *hash)
{
    struct folder *self = folder_of(base);
    pthread_mutex_lock(&self->lock);
    struct blob_entry *entry = blob_index_take(&self->index, hash);
    entry->is_referred = false;
    note_unused(self, entry);
    pthread_mutex_unlock(&self->lock);
}

static void
folder_sweep(blobs_t *base, const struct blob_records *records)
{
    struct folder *self = folder_of(base);
    pthread_mutex_lock(&self->lock);
    if (records)
        self->records = *records;
    pthread_mutex_unlock(&self->lock);
    // Of a wrong database, or one that was made anew, all would go.
    bool is_known = !self->has_shared_store || blob_referred_is_any(self);
    pthread_mutex_lock(&self->lock);
    self->must_sweep = self->has_counted = is_known;
    pthread_cond_signal(&self->woken);
    pthread_mutex_unlock(&self->lock);
    if (!is_known)
        log_info("blobs_kept", "path=%s detail=%s", self->path,
                 "the database of store.uri knows of no asset: nothing is removed");
}

static void
folder_hold(blobs_t *base)
{
    struct folder *self = folder_of(base);
    pthread_mutex_lock(&self->lock);
    self->holds++;
    pthread_mutex_unlock(&self->lock);
}

static void
folder_release(blobs_t *base)
{
    struct folder *self = folder_of(base);
    pthread_mutex_lock(&self->lock);
    assert(self->holds > 0);
    self->holds--;
    pthread_cond_signal(&self->woken);
    pthread_mutex_unlock(&self->lock);
}

static void
folder_listen(blobs_t *base, blob_listener *listener, void *context)
{
    struct folder *self = folder_of(base);
    pthread_mutex_lock(&self->lock);
    self->listener = listener;
    self->listener_context = context;
    pthread_mutex_unlock(&self->lock);
}

// Opening and closing.

static void
folder_destroy(blobs_t *base)
{
    struct folder *self = folder_of(base);
    pthread_mutex_lock(&self->lock);
    self->is_ending = true;
    pthread_cond_signal(&self->woken);
    pthread_mutex_unlock(&self->lock);
    if (self->has_remover)
        pthread_join(self->remover, NULL);
    blob_index_finish(&self->index);
    blob_beliefs_finish(&self->beliefs);
    blob_remote_end(self);
    pthread_cond_destroy(&self->woken);
    pthread_mutex_destroy(&self->lock);
    if (self->root >= 0) {
        unlinkat(self->root, self->run, AT_REMOVEDIR); // unless somebody took it away
        close(self->root);
    }
    free(self->path);
    free(self);
}

static const struct blob_engine folder_engine = {
    .begin = blob_writer_begin,
    .write = blob_writer_write,
    .finish = blob_writer_finish,
    .abort = blob_writer_abort,
    .open = blob_reader_open,
    .keep = folder_keep,
    .drop = folder_drop,
    .unpin = folder_unpin,
    .refer = folder_refer,
    .leave = folder_leave,
    .sweep = folder_sweep,
    .hold = folder_hold,
    .release = folder_release,
    .listen = folder_listen,
    .destroy = folder_destroy,
};

// Removes a file, or a folder of files.
static bool
remove_all(const struct folder *self, const char *name)
{
    int descriptor = openat(self->root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = descriptor < 0 ? NULL : fdopendir(descriptor);
    if (!directory)
        return unlinkat(self->root, name, 0) == 0;
    for (struct dirent *file; (file = readdir(directory));)
        if (file->d_name[0] != '.')
            unlinkat(descriptor, file->d_name, 0);
    closedir(directory);
    return unlinkat(self->root, name, AT_REMOVEDIR) == 0;
}

// Takes away what an earlier run did not finish: it belongs to nobody. A run that is frozen, and
// goes on where this one has taken its place, finds nothing there: each blob that it would put or
// remove passes through its folder by a rename, which fails then.
static void
take_away(struct folder *self, const char *name)
{
    char old[BLOB_RUN_SIZE + NAME_MAX], gone[BLOB_TEMPORARY_SIZE];
    snprintf(old, sizeof old, "tmp/%s", name);
    folder_temporary(self, gone);
    if (renameat(self->root, old, self->root, gone) != 0 || !remove_all(self, gone))
        log_warning("blob_left", "path=%s/%s reason=%s", self->path, old, strerror(errno));
}

static fallible
clear_temporaries(struct folder *self)
{
    int descriptor = openat(self->root, "tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = descriptor < 0 ? NULL : fdopendir(descriptor);
    if (!directory)
        return folder_failed(self, "read folder");
    for (struct dirent *file; (file = readdir(directory));)
        if (file->d_name[0] != '.' && strcmp(file->d_name, strchr(self->run, '/') + 1) != 0)
            take_away(self, file->d_name);
    closedir(directory);
    return OK;
}

static fallible
folder_begin(struct folder *self)
{
    if (mkdir(self->path, 0700) != 0 && errno != EEXIST)
        return fail(ERR_UNAVAILABLE, "", "cannot make %s: %s", self->path, strerror(errno));
    self->root = open(self->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (self->root < 0)
        return fail(ERR_UNAVAILABLE, "", "cannot open %s: %s", self->path, strerror(errno));
    if (!self->provider && blob_scan_is_cache(self->path))
        return fail(ERR_UNAVAILABLE, "",
                    "%s has copies of some of the bytes of assets, and the database has all of "
                    "them; set blob.store=database, or take the folder away",
                    self->path);
    TRY(folder_make(self, "tmp"));
    TRY(folder_make(self, self->run));
    if (self->is_synced) {
        TRY(folder_sync(self, ".."));
        TRY(folder_sync(self, "."));
    }
    TRY(clear_temporaries(self));
    if (self->provider)
        TRY(blob_scan_run(self));
    self->has_remover = pthread_create(&self->remover, NULL, folder_remover_run, self) == 0;
    if (!self->has_remover)
        return fail(ERR_UNAVAILABLE, "", "the system has no thread for asset bytes");
    return OK;
}

char *
folder_path_of(const struct config *config)
{
    bool is_apart = config->blob_dir && *config->blob_dir;
    const char *folder = is_apart ? config->blob_dir : config->data_dir;
    const char *name = is_apart ? "" : "/blobs";
    size_t size = strlen(folder) + strlen(name) + 1;
    char *path = memory_take(size);
    snprintf(path, size, "%s%s", folder, name);
    return path;
}

fallible
blob_cache_open(const struct config *config, blob_provider_t **provider, reserve_meter *meter,
                bool (*must_end)(void), blobs_t **ret_blobs)
{
    struct folder *self = memory_take_zeroed(sizeof *self);
    self->base.engine = &folder_engine;
    self->root = -1;
    self->path = folder_path_of(config);
    snprintf(self->run, sizeof self->run, "tmp/%08x%08x", randombytes_random(),
             randombytes_random());
    if (provider) {
        self->provider = *provider;
        self->cache.most = (uint64_t)config->blob_cache;
        *provider = NULL;
    }
    self->is_synced = config->store_sync && !self->provider; // a copy may be lost
    self->has_shared_store = config->store_uri && *config->store_uri;
    self->reserve = (uint64_t)config->store_reserve * RESERVES_KEPT;
    self->meter = meter;
    self->must_end = must_end;
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->woken, NULL);
    blob_transfers_init(&self->transfers, TRANSFER_PATIENCE_MS);
    enum error error = folder_begin(self);
    if (error != OK)
        folder_destroy(&self->base);
    else
        *ret_blobs = &self->base;
    return error;
}

fallible
blob_folder_open(const struct config *config, reserve_meter *meter, blobs_t **ret_blobs)
{
    return blob_cache_open(config, NULL, meter, NULL, ret_blobs);
}
