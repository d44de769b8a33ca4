// blob_folder.c - the folder of all blobs in the file system: names, folders, failed calls.
#include "store/blob_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/log.h"

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
