// blob_folder.c - the folder of all blobs in the file system: names, folders, failed calls.
#include "store/blob_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/log.h"
#include "proto/base/memory.h"

enum { READ_BYTES = 256 * 1024 };

fallible
folder_failed(const struct folder *self, const char *what)
{
    int reason = errno;
    if (reason == ENOSPC || reason == EDQUOT)
        return fail(ERR_STORAGE_FULL, "", "the disk is full");
    log_error("blob_failed", "path=%s what=%s reason=%s", self->path, what, strerror(reason));
    return fail(ERR_UNAVAILABLE, "", "asset bytes cannot be stored: %s", strerror(reason));
}

void
folder_name(const struct blob_hash *hash, char ret_name[BLOB_NAME_SIZE])
{
    blob_hash_to_hex(hash, ret_name + 3);
    ret_name[0] = ret_name[3];
    ret_name[1] = ret_name[4];
    ret_name[2] = '/';
}

void
folder_temporary(struct folder *self, char ret_name[BLOB_TEMPORARY_SIZE])
{
    snprintf(ret_name, BLOB_TEMPORARY_SIZE, "%s/%llu", self->run,
             (unsigned long long)++self->temporaries);
}

fallible
folder_sync(const struct folder *self, const char *name)
{
    int directory = openat(self->root, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return folder_failed(self, "open folder");
    int result = fsync(directory);
    enum error error = result == 0 ? OK : folder_failed(self, "sync folder");
    close(directory);
    return error;
}

fallible
folder_make(const struct folder *self, const char *name)
{
    bool is_there = mkdirat(self->root, name, 0700) == 0 || errno == EEXIST;
    return is_there ? OK : folder_failed(self, "make folder");
}

fallible
folder_make_for(struct folder *self, const struct blob_hash *hash)
{
    char name[BLOB_NAME_SIZE];
    folder_name(hash, name);
    name[2] = '\0';
    bool *is_durable = &self->is_durable[hash->bytes[0]];
    pthread_mutex_lock(&self->lock);
    bool must_sync = self->is_synced && !*is_durable;
    pthread_mutex_unlock(&self->lock);
    TRY(folder_make(self, name));
    if (!must_sync)
        return OK;
    TRY(folder_sync(self, ".")); // also what a process made that was killed, or another thread now
    pthread_mutex_lock(&self->lock);
    *is_durable = true;
    pthread_mutex_unlock(&self->lock);
    return OK;
}

int
folder_open(const struct folder *self, const struct blob_hash *hash)
{
    char name[BLOB_NAME_SIZE];
    struct stat status;
    folder_name(hash, name);
    int file = openat(self->root, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0 || (fstat(file, &status) == 0 && S_ISREG(status.st_mode)))
        return file;
    close(file);
    errno = EINVAL;
    return -1;
}

bool
folder_remove(struct folder *self, const struct blob_hash *hash)
{
    char name[BLOB_NAME_SIZE], gone[BLOB_TEMPORARY_SIZE];
    folder_name(hash, name);
    folder_temporary(self, gone);
    blob_cache_forget(&self->cache, hash);
    bool is_renamed = renameat(self->root, name, self->root, gone) == 0;
    pthread_mutex_unlock(&self->lock);
    bool is_removed = is_renamed && unlinkat(self->root, gone, 0) == 0;
    if (!is_removed && errno != ENOENT)
        log_warning("blob_left", "path=%s/%s reason=%s", self->path, name, strerror(errno));
    pthread_mutex_lock(&self->lock);
    return is_removed;
}

bool
folder_file_has(int file, const struct blob_hash *hash)
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
