// archive_blobs.c - see archive_blobs.h.
#define _GNU_SOURCE
#include "store/backup/archive_blobs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "proto/message/blob.h"

fallible
archive_blobs_open(const struct archive_engine *self, store_t *store,
                   blob_provider_t **ret_provider)
{
    *ret_provider = NULL;
    return self && self->has_blobs ? store_provide_blobs(store, ret_provider) : OK;
}

// What is not there whole has another hash, whoever finds that out.
static fallible
fetch(blob_provider_t *provider, const char *path, const char *hex)
{
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return backup_file_failed("make", path);
    enum error error = blob_provider_fetch(provider, hex, file);
    close(file);
    return error == ERR_NOT_FOUND ? OK : error;
}

struct visit {
    blob_provider_t *provider;
    const char *path;
    archive_blob_visitor *visit;
    void *context;
    enum error error;
};

static bool
visit_object(void *context, const char *object)
{
    struct visit *self = context;
    struct blob_hash hash;
    if (!blob_hash_from_hex(object, strlen(object), &hash))
        return true;
    self->error = fetch(self->provider, self->path, object);
    if (self->error == OK)
        self->error = self->visit(self->context, self->path, object);
    return self->error == OK;
}

fallible
archive_blobs_visit(blob_provider_t *provider, const char *path, archive_blob_visitor *visit,
                    void *context)
{
    struct visit self = {provider, path, visit, context, OK};
    enum error error = blob_provider_list(provider, visit_object, &self);
    unlink(path);
    return self.error == OK ? error : self.error;
}

fallible
archive_blob_move(blob_provider_t *provider, const char *path, const char *hex)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return backup_file_failed("open", path);
    enum error error = blob_provider_put(provider, hex, file);
    close(file);
    if (error == OK && unlink(path) != 0)
        return backup_file_failed("remove", path);
    return error;
}

fallible
archive_blob_path(const char *folder, const char *name, char ret_path[BACKUP_PATH_SIZE])
{
    const char *rest = strchr(name, '/');
    return backup_path(folder, rest ? rest + 1 : "", ret_path);
}
