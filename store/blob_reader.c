// blob_reader.c - opening a blob: only after its bytes were seen to have its hash. That is believed
// for a day, as long as the file is the same one and was not changed.
#define _GNU_SOURCE
#include "store/blob_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "proto/base/log.h"
#include "proto/base/memory.h"

enum { READ_BYTES = 256 * 1024 };

// Whether the file's bytes have the hash.
static bool
has_hash(int file, const struct blob_hash *hash)
{
    crypto_hash_sha256_state state;
    struct blob_hash found;
    unsigned char *bytes = memory_take(READ_BYTES);
    off_t at = 0;
    ssize_t got;
    crypto_hash_sha256_init(&state);
    while ((got = pread(file, bytes, READ_BYTES, at)) > 0) {
        crypto_hash_sha256_update(&state, bytes, (size_t)got);
        at += got;
    }
    free(bytes);
    crypto_hash_sha256_final(&state, found.bytes);
    return got == 0 && memcmp(&found, hash, sizeof found) == 0;
}

static bool
is_believed(struct folder *self, const struct blob_hash *hash, const struct stat *status)
{
    pthread_mutex_lock(&self->lock);
    const struct blob_entry *entry = blob_index_find(&self->index, hash);
    bool is_believed = entry && folder_believes(entry, status);
    pthread_mutex_unlock(&self->lock);
    return is_believed;
}

static void
believe(struct folder *self, const struct blob_hash *hash, const struct stat *status)
{
    pthread_mutex_lock(&self->lock);
    struct blob_entry *entry = blob_index_find(&self->index, hash);
    if (entry)
        folder_believe(entry, status);
    pthread_mutex_unlock(&self->lock);
}

static bool
is_whole(struct folder *self, int file, const struct blob_hash *hash, struct stat *ret_status)
{
    if (fstat(file, ret_status) != 0 || !S_ISREG(ret_status->st_mode))
        return false;
    if (is_believed(self, hash, ret_status))
        return true;
    if (!has_hash(file, hash))
        return false;
    believe(self, hash, ret_status);
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
    bool is_needed = entry && entry->references > 0;
    pthread_mutex_unlock(&self->lock);
    if (is_needed || reason != ENOENT)
        return damaged(self, name, strerror(reason));
    return fail(ERR_NOT_FOUND, "", "there are no such bytes");
}

fallible
blob_reader_open(blobs_t *base, const struct blob_hash *hash, int *ret_file, uint64_t *ret_size)
{
    struct folder *self = folder_of(base);
    char name[BLOB_NAME_SIZE];
    struct stat status = {0};
    folder_name(hash, name);
    int file = openat(self->root, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return missing(self, hash, name);
    if (!is_whole(self, file, hash, &status)) {
        close(file);
        return damaged(self, name, "hash");
    }
    *ret_file = file;
    *ret_size = (uint64_t)status.st_size;
    return OK;
}
