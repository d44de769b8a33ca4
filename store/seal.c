// seal.c - a seal is a text: a line of name, size and digest for each file, sorted by name. To
// check it, it is written anew and compared. Tables have no digest: they are large, and each of
// their blocks has a checksum that RocksDB checks when it reads it. One thread.
#include "store/seal.h"

#include <ctype.h>
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

#include "proto/base/buffer.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"

enum { DIGEST_SIZE = 16, CHUNK_BYTES = 64 << 10 };

static const char seal_name[] = "SEAL";
static const char fresh_name[] = "SEAL.new";

static void
file_close(const int *file)
{
    if (*file >= 0)
        close(*file);
}

static void
memory_free(unsigned char **memory)
{
    free(*memory);
}

static fallible
refuse(const char *path, const char *name, const char *what)
{
    return fail(ERR_UNAVAILABLE, "", "cannot open %s: %s: %s", path, name, what);
}

static bool
ends_with(const char *name, const char *suffix)
{
    size_t size = strlen(name), suffix_size = strlen(suffix);
    return size > suffix_size && strcmp(name + size - suffix_size, suffix) == 0;
}

static bool
is_table(const char *name)
{
    return ends_with(name, ".sst");
}

// Whether RocksDB reads the file when it opens a database.
static int
is_sealed(const struct dirent *entry)
{
    const char *name = entry->d_name;
    return is_table(name) || ends_with(name, ".log") || strcmp(name, "CURRENT") == 0 ||
           strncmp(name, "MANIFEST-", strlen("MANIFEST-")) == 0;
}

static int
by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int
file_open(const char *path, const char *name, int flags)
{
    char full[PATH_MAX];
    int size = snprintf(full, sizeof full, "%s/%s", path, name);
    if (size < 0 || (size_t)size >= sizeof full) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(full, flags | O_CLOEXEC, 0600);
}

// Digests `file` to its end; false if that fails.
static bool
digest_file(int file, unsigned char *ret_digest)
{
    owned(memory_free) unsigned char *chunk = memory_take(CHUNK_BYTES);
    crypto_generichash_state state;
    crypto_generichash_init(&state, NULL, 0, DIGEST_SIZE);
    ssize_t size;
    while ((size = read(file, chunk, CHUNK_BYTES)) > 0)
        crypto_generichash_update(&state, chunk, (size_t)size);
    crypto_generichash_final(&state, ret_digest, DIGEST_SIZE);
    return size == 0;
}

// Writes one line. `sync`: the file is synced first, so that its seal is true also after a power
// cut.
static fallible
put_file(const char *path, const char *name, bool sync, struct buffer *out)
{
    struct stat status;
    unsigned char digest[DIGEST_SIZE];
    char hex[2 * DIGEST_SIZE + 1] = "-";
    owned(file_close) int file = file_open(path, name, O_RDONLY);
    if (file < 0 || fstat(file, &status) != 0 || (sync && fsync(file) != 0))
        return refuse(path, name, strerror(errno));
    if (!is_table(name)) {
        if (!digest_file(file, digest))
            return refuse(path, name, strerror(errno));
        sodium_bin2hex(hex, sizeof hex, digest, sizeof digest);
    }
    buffer_put_format(out, "%s %lld %s\n", name, (long long)status.st_size, hex);
    return OK;
}

static fallible
compose(const char *path, bool sync, struct buffer *out)
{
    struct dirent **entries = NULL;
    int count = scandir(path, &entries, is_sealed, by_name);
    enum error error = count < 0 ? refuse(path, ".", strerror(errno)) : OK;
    for (int i = 0; i < count; i++) {
        if (error == OK)
            error = put_file(path, entries[i]->d_name, sync, out);
        free(entries[i]);
    }
    free(entries);
    return error;
}

static fallible
write_all(int file, const struct buffer *text)
{
    for (size_t done = 0; done < text->size;) {
        ssize_t size = write(file, text->data + done, text->size - done);
        if (size < 0 && errno != EINTR)
            return fail(ERR_UNAVAILABLE, "", "%s", strerror(errno));
        done += size > 0 ? (size_t)size : 0;
    }
    return OK;
}

static fallible
write_fresh(const char *path, const struct buffer *text)
{
    owned(file_close) int file = file_open(path, fresh_name, O_WRONLY | O_CREAT | O_TRUNC);
    if (file < 0)
        return refuse(path, fresh_name, strerror(errno));
    TRY(write_all(file, text));
    return fsync(file) == 0 ? OK : refuse(path, fresh_name, strerror(errno));
}

static fallible
put(const char *path)
{
    owned(buffer_finish) struct buffer text = {0};
    TRY(compose(path, true, &text));
    TRY(write_fresh(path, &text));
    owned(file_close) int directory = file_open(path, ".", O_RDONLY | O_DIRECTORY);
    bool is_put = directory >= 0 && renameat(directory, fresh_name, directory, seal_name) == 0 &&
                  fsync(directory) == 0;
    return is_put ? OK : refuse(path, seal_name, strerror(errno));
}

void
seal_put(const char *path)
{
    if (put(path) != OK)
        log_warning("store_not_sealed", "path=%s detail=%s", path, fault_last()->detail);
}

// *ret_found is false if there is no seal.
static fallible
read_seal(const char *path, bool *ret_found, struct buffer *ret_text)
{
    owned(file_close) int file = file_open(path, seal_name, O_RDONLY);
    *ret_found = file >= 0;
    if (file < 0)
        return errno == ENOENT || errno == ENOTDIR ? OK : refuse(path, seal_name, strerror(errno));
    ssize_t size;
    do {
        buffer_reserve(ret_text, CHUNK_BYTES);
        size = read(file, ret_text->data + ret_text->size, CHUNK_BYTES);
        ret_text->size += size > 0 ? (size_t)size : 0;
    } while (size > 0);
    return size == 0 ? OK : refuse(path, seal_name, strerror(errno));
}

// The name in the first line that is not in both texts. That text may be damaged too.
static void
find_difference(const struct buffer *was, const struct buffer *is, char *ret_name)
{
    size_t start = 0;
    for (size_t i = 0; i < was->size && i < is->size && was->data[i] == is->data[i]; i++)
        if (was->data[i] == '\n')
            start = i + 1;
    const struct buffer *text = start < was->size ? was : is;
    size_t size = 0;
    while (size < NAME_MAX && start + size < text->size &&
           isgraph((unsigned char)text->data[start + size]))
        size++;
    snprintf(ret_name, NAME_MAX + 1, "%.*s", (int)size, text->data + start);
}

static fallible
check(const char *path, const struct buffer *was)
{
    char name[NAME_MAX + 1];
    owned(buffer_finish) struct buffer is = {0};
    TRY(compose(path, false, &is));
    if (is.size == was->size && memcmp(is.data, was->data, is.size) == 0)
        return OK;
    find_difference(was, &is, name);
    log_error("store_damaged", "path=%s file=%s", path, name);
    return refuse(path, name,
                  ends_with(name, ".log")
                      ? "it is damaged; restore a backup, or start once with "
                        "store.recover=point-in-time, which drops what was written after the damage"
                      : "it is damaged; restore a backup");
}

static fallible
remove_seal(const char *path)
{
    owned(file_close) int directory = file_open(path, ".", O_RDONLY | O_DIRECTORY);
    bool is_gone =
        directory >= 0 && unlinkat(directory, seal_name, 0) == 0 && fsync(directory) == 0;
    return is_gone ? OK : refuse(path, seal_name, strerror(errno));
}

fallible
seal_break(const char *path, bool tolerant)
{
    bool found;
    owned(buffer_finish) struct buffer was = {0};
    TRY(read_seal(path, &found, &was));
    if (!found)
        return OK;
    enum error error = check(path, &was);
    if (error != OK && !tolerant)
        return error;
    return remove_seal(path);
}
