// curve_folder.c - see curve_folder.h.
#include "actors/runtime/curve_folder.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/base/directory.h"

enum { KEY_PATH_SIZE = CONFIG_FOLDER_SIZE + 16 };

// Only their owner may read both folders, like the server's key.
static fallible
folder_make(const char *setting, const char *path)
{
    bool is_made = mkdir(path, 0700) == 0;
    if (is_made ? directory_sync_above(path) : errno == EEXIST)
        return OK;
    return fail(ERR_INVALID, "", "%s: %.180s: %s", setting, path, strerror(errno));
}

fallible
curve_folder_open(struct curve_folder *self, enum zap_domain domain, const char *setting,
                  const char *path)
{
    char clients[KEY_PATH_SIZE], key[KEY_PATH_SIZE];
    if (strlen(path) >= sizeof self->path)
        return fail(ERR_INVALID, "", "%s: the path is too long", setting);
    if (!*path)
        return OK;
    snprintf(self->path, sizeof self->path, "%s", path);
    snprintf(clients, sizeof clients, "%s/clients", path);
    curve_folder_key(self, key);
    TRY(folder_make(setting, path));
    TRY(folder_make(setting, clients));
    TRY(curve_keys_find(key, &self->pair));
    return zap_handler_create(domain, clients, &self->zap_handler);
}

void
curve_folder_finish(struct curve_folder *self)
{
    zap_handler_destroy(&self->zap_handler);
    sodium_memzero(self, sizeof *self);
}

uint64_t
curve_folder_removals(const struct curve_folder *self)
{
    return self->zap_handler ? zap_handler_removals(self->zap_handler) : 0;
}

void
curve_folder_key(const struct curve_folder *self, char ret_path[KEY_PATH_SIZE])
{
    snprintf(ret_path, KEY_PATH_SIZE, "%s/server.key", self->path);
}
