// pub_keys.c - the server's pair of keys in a folder (pub_keys.h).
#include "actors/streamer/pub/pub_keys.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/base/directory.h"
#include "proto/base/log.h"

enum { KEY_PATH_SIZE = CONFIG_FOLDER_SIZE + 16 };

// Only their owner may read both folders, like the server's key.
static fallible
folder_make(const char *path)
{
    bool is_made = mkdir(path, 0700) == 0;
    if (is_made ? directory_sync_above(path) : errno == EEXIST)
        return OK;
    return fail(ERR_INVALID, "", "pub.curve_dir: %.180s: %s", path, strerror(errno));
}

static void
key_path(const char *folder, char ret_path[KEY_PATH_SIZE])
{
    snprintf(ret_path, KEY_PATH_SIZE, "%s/server.key", folder);
}

static fallible
keys_find(const char *folder, struct curve_keys *ret_keys)
{
    char path[KEY_PATH_SIZE];
    key_path(folder, path);
    enum error error = curve_keys_read_secret(path, ret_keys);
    if (error == OK)
        return curve_keys_tell(path, ret_keys);
    if (error != ERR_NOT_FOUND)
        return error;
    TRY(curve_keys_make(path, ret_keys));
    log_info("pub_key_made", "file=%s", path);
    return curve_keys_read_secret(path, ret_keys);
}

fallible
pub_keys_open(struct pub_keys *self, const struct config *config)
{
    char clients[CONFIG_FOLDER_SIZE + 16];
    const char *folder = self->folder;
    if (!config_curve_folder(config, self->folder))
        return fail(ERR_INVALID, "", "pub.curve_dir: the path is too long");
    if (!*folder)
        return OK;
    snprintf(clients, sizeof clients, "%s/clients", folder);
    TRY(folder_make(folder));
    TRY(folder_make(clients));
    TRY(keys_find(folder, &self->pair));
    return zap_handler_create(clients, &self->zap_handler);
}

void
pub_keys_finish(struct pub_keys *self)
{
    zap_handler_destroy(&self->zap_handler);
    sodium_memzero(self, sizeof *self);
}

uint64_t
pub_keys_removals(const struct pub_keys *self)
{
    return self->zap_handler ? zap_handler_removals(self->zap_handler) : 0;
}

fallible
pub_keys_replace(const struct pub_keys *self, struct curve_keys *ret_fresh)
{
    char path[KEY_PATH_SIZE];
    if (!self->folder[0])
        return fail(ERR_CONFLICT, "",
                    "PUB has no key: pub.curve_dir is not set, or pub.insecure is");
    key_path(self->folder, path);
    return curve_keys_replace(path, ret_fresh);
}

void
pub_keys_take(struct pub_keys *self, struct curve_keys *fresh)
{
    char path[KEY_PATH_SIZE];
    key_path(self->folder, path);
    self->pair = *fresh;
    sodium_memzero(fresh->secret, sizeof fresh->secret);
    log_info("pub_key_rotated", "file=%s", path);
}
