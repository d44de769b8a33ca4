// pub_keys.c - the keys of PUB (pub_keys.h).
#include "actors/streamer/pub/pub_keys.h"

#include <sodium.h>

#include "proto/base/log.h"

enum { KEY_PATH_SIZE = CONFIG_FOLDER_SIZE + 16 };

fallible
pub_keys_open(struct curve_folder *self, const struct config *config)
{
    char path[CONFIG_FOLDER_SIZE];
    if (!config_curve_folder(config, path))
        return fail(ERR_INVALID, "", "pub.curve_dir: the path is too long");
    return curve_folder_open(self, ZAP_PUB, "pub.curve_dir", path);
}

fallible
pub_keys_replace(const struct curve_folder *self, struct curve_keys *ret_fresh)
{
    char path[KEY_PATH_SIZE];
    if (!self->path[0])
        return fail(ERR_CONFLICT, "",
                    "PUB has no key: pub.curve_dir is not set, or pub.insecure is");
    curve_folder_key(self, path);
    return curve_keys_replace(path, ret_fresh);
}

void
pub_keys_take(struct curve_folder *self, struct curve_keys *fresh)
{
    char path[KEY_PATH_SIZE];
    curve_folder_key(self, path);
    self->pair = *fresh;
    sodium_memzero(fresh->secret, sizeof fresh->secret);
    log_info("pub_key_rotated", "file=%s", path);
}
