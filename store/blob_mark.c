// blob_mark.c - see blob_mark.h.
#define _GNU_SOURCE
#include "store/blob_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/directory.h"

enum { RANDOM_BYTES = (BLOB_MARK_SIZE - 1) / 2, PATH_BYTES = 2048 };

static const char mark_name[] = "PLACE";

static fallible
failed(const char *what, const char *path)
{
    return fail(ERR_CONFLICT, "", "cannot %s %s: %s; is it mounted, and may this user write there?",
                what, path, strerror(errno));
}

static fallible
join(char ret_path[PATH_BYTES], const char *folder, const char *name)
{
    int size = snprintf(ret_path, PATH_BYTES, "%s/%s", folder, name);
    return size < PATH_BYTES ? OK : fail(ERR_INVALID, "", "%s is too long a path", folder);
}

static bool
is_mark(const char *text)
{
    return strspn(text, "0123456789abcdef") == BLOB_MARK_SIZE - 1 && !text[BLOB_MARK_SIZE - 1];
}

fallible
blob_mark_read(const char *folder, char ret_mark[BLOB_MARK_SIZE])
{
    char path[PATH_BYTES], text[BLOB_MARK_SIZE] = "";
    TRY(join(path, folder, mark_name));
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        ret_mark[0] = '\0';
        return OK;
    }
    if (file < 0)
        return failed("read", path);
    ssize_t size = read(file, text, BLOB_MARK_SIZE - 1);
    int reason = errno;
    close(file);
    errno = reason;
    if (size < 0)
        return failed("read", path);
    if (!is_mark(text))
        return fail(ERR_CONFLICT, "", "%s is damaged: it has to be 32 hex digits", path);
    memcpy(ret_mark, text, BLOB_MARK_SIZE);
    return OK;
}

// Under another name first: a kill leaves no half of one.
static fallible
write_mark(const char *folder, const char *mark)
{
    char fresh[PATH_BYTES], path[PATH_BYTES];
    TRY(join(path, folder, mark_name));
    TRY(join(fresh, folder, "PLACE.new"));
    int file = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0)
        return failed("write", fresh);
    bool is_written = dprintf(file, "%s\n", mark) == BLOB_MARK_SIZE && fsync(file) == 0;
    close(file);
    if (!is_written || rename(fresh, path) != 0 || !directory_sync(folder))
        return failed("write", path);
    return OK;
}

fallible
blob_mark_make(const char *folder, char ret_mark[BLOB_MARK_SIZE])
{
    unsigned char bytes[RANDOM_BYTES];
    char mark[BLOB_MARK_SIZE];
    randombytes_buf(bytes, sizeof bytes);
    sodium_bin2hex(mark, sizeof mark, bytes, sizeof bytes);
    TRY(write_mark(folder, mark));
    memcpy(ret_mark, mark, BLOB_MARK_SIZE);
    return OK;
}

fallible
blob_mark_try(const char *folder, bool must_exist)
{
    char name[32], path[PATH_BYTES];
    if (!must_exist && access(folder, F_OK) != 0 && errno == ENOENT)
        return OK;
    snprintf(name, sizeof name, ".try-%08x%08x", randombytes_random(), randombytes_random());
    TRY(join(path, folder, name));
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return failed("write to", folder);
    close(file);
    return unlink(path) == 0 ? OK : failed("write to", folder);
}
