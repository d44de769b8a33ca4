// curve.c - certificates of CURVE. Reads them by czmq's zconfig and writes them itself, since zcert
// changes the umask of the whole process and may leave half a file behind.
#include "proto/feed/curve.h"

#include <czmq.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/directory.h"
#include "proto/base/log.h"
#include "proto/base/owned.h"

enum { PATH_SIZE = 2048, FILE_SIZE = 4096, RAW_KEY_BYTES = 32 };

static const char secret_suffix[] = "_secret";

static bool
is_key(const char *text)
{
    uint8_t raw[RAW_KEY_BYTES];
    return strlen(text) == CURVE_KEY_SIZE - 1 && zmq_z85_decode(raw, text);
}

// Reads a small file into a zconfig, or returns NULL. Not zconfig_load: it leaks if the file is
// empty.
static zconfig_t *
load(const char *path)
{
    char text[FILE_SIZE + 1];
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t size = file >= 0 ? read(file, text, FILE_SIZE) : 0;
    if (file >= 0)
        close(file);
    if (size <= 0)
        return NULL;
    text[size] = '\0';
    return zconfig_str_load(text);
}

fallible
curve_keys_read(const char *path, struct curve_keys *ret_keys)
{
    if (access(path, F_OK) != 0)
        return fail(ERR_NOT_FOUND, "", "%.200s: no such file", path);
    owned(zconfig_destroy) zconfig_t *file = load(path);
    const char *open_key = file ? zconfig_get(file, "curve/public-key", "") : "";
    const char *secret = file ? zconfig_get(file, "curve/secret-key", "") : "";
    if (!is_key(open_key))
        return fail(ERR_INVALID, "", "%.200s: it has no public key of CURVE that can be read",
                    path);
    memcpy(ret_keys->open, open_key, CURVE_KEY_SIZE);
    memset(ret_keys->secret, 0, CURVE_KEY_SIZE);
    if (is_key(secret))
        memcpy(ret_keys->secret, secret, CURVE_KEY_SIZE);
    return OK;
}

static bool
is_secret_path(const char *path)
{
    size_t size = strlen(path), suffix = strlen(secret_suffix);
    return size > suffix && strcmp(path + size - suffix, secret_suffix) == 0;
}

static fallible
secret_path(const char *path, char *ret_path)
{
    const char *suffix = is_secret_path(path) ? "" : secret_suffix;
    if (snprintf(ret_path, PATH_SIZE, "%s%s", path, suffix) >= PATH_SIZE - 8)
        return fail(ERR_INVALID, "", "%.100s…: the path is too long", path);
    return OK;
}

fallible
curve_keys_read_secret(const char *path, struct curve_keys *ret_keys)
{
    char secret[PATH_SIZE];
    struct curve_keys keys;
    TRY(secret_path(path, secret));
    TRY(curve_keys_read(secret, &keys));
    if (!keys.secret[0])
        return fail(ERR_INVALID, "", "%.200s: it has no secret key of CURVE that can be read",
                    secret);
    *ret_keys = keys;
    return OK;
}

static bool
write_text(int file, const struct curve_keys *keys, bool with_secret)
{
    if (dprintf(file, "#   ZeroMQ CURVE %s\n%s\ncurve\n    public-key = \"%s\"\n",
                with_secret ? "**Secret** certificate" : "public certificate",
                with_secret ? "#   Never give this file away."
                            : "#   To be given to the other side.",
                keys->open) < 0)
        return false;
    if (with_secret && dprintf(file, "    secret-key = \"%s\"\n", keys->secret) < 0)
        return false;
    return fsync(file) == 0;
}

// Writes the file whole or not at all: under another name first.
static fallible
write_file(const char *path, const struct curve_keys *keys, bool with_secret)
{
    char fresh[PATH_SIZE + 8], folder[PATH_SIZE];
    snprintf(fresh, sizeof fresh, "%s.new", path);
    unlink(fresh);
    int file = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, with_secret ? 0600 : 0644);
    bool is_written = file >= 0 && write_text(file, keys, with_secret);
    if (file >= 0)
        is_written = close(file) == 0 && is_written;
    snprintf(folder, sizeof folder, "%s", path);
    if (is_written && rename(fresh, path) == 0 && directory_sync(dirname(folder)))
        return OK;
    int reason = errno;
    unlink(fresh);
    return fail(ERR_UNAVAILABLE, "", "%.180s: cannot be written: %s", path, strerror(reason));
}

fallible
curve_keys_replace(const char *path, struct curve_keys *ret_keys)
{
    char secret[PATH_SIZE];
    struct curve_keys keys;
    TRY(secret_path(path, secret));
    if (zmq_curve_keypair(keys.open, keys.secret) != 0)
        return fail(ERR_UNAVAILABLE, "", "this build of ZeroMQ has no CURVE");
    TRY(write_file(secret, &keys, true));
    TRY(write_file(path, &keys, false));
    *ret_keys = keys;
    sodium_memzero(keys.secret, sizeof keys.secret);
    return OK;
}

fallible
curve_keys_tell(const char *path, const struct curve_keys *keys)
{
    struct curve_keys told;
    if (curve_keys_read(path, &told) == OK && strcmp(told.open, keys->open) == 0)
        return OK;
    return write_file(path, keys, false);
}

fallible
curve_keys_make(const char *path, struct curve_keys *ret_keys)
{
    char secret[PATH_SIZE];
    TRY(secret_path(path, secret));
    if (access(secret, F_OK) == 0)
        return fail(ERR_CONFLICT, "", "%.200s: it is there already", secret);
    return curve_keys_replace(path, ret_keys);
}

fallible
curve_keys_find(const char *path, struct curve_keys *ret_keys)
{
    enum error error = curve_keys_read_secret(path, ret_keys);
    if (error == OK)
        return curve_keys_tell(path, ret_keys);
    if (error != ERR_NOT_FOUND)
        return error;
    TRY(curve_keys_make(path, ret_keys));
    log_info("curve_key_made", "file=%s", path);
    return curve_keys_read_secret(path, ret_keys);
}
