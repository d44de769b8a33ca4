// blob_mark.c - see blob_mark.h.
#define _GNU_SOURCE
#include "store/blob_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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
    // A pipe without a writer would hold an open for ever.
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        ret_mark[0] = '\0';
        return OK;
    }
    if (file < 0)
        return failed("read", path);
    struct stat status;
    bool is_file = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    ssize_t size = is_file ? read(file, text, BLOB_MARK_SIZE - 1) : 0;
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

static fallible
join_prepared(char ret_path[PATH_BYTES], const char *folder, const char *mark)
{
    char name[sizeof mark_name + BLOB_MARK_SIZE];
    snprintf(name, sizeof name, "%s.%s", mark_name, mark);
    return join(ret_path, folder, name);
}

static fallible
make_folder(const char *folder)
{
    if (mkdir(folder, 0700) != 0)
        return errno == EEXIST ? OK : failed("make", folder);
    return directory_sync_above(folder) ? OK : failed("make", folder);
}

fallible
blob_mark_prepare(const char *folder, char ret_mark[BLOB_MARK_SIZE])
{
    unsigned char bytes[RANDOM_BYTES];
    char mark[BLOB_MARK_SIZE], path[PATH_BYTES];
    randombytes_buf(bytes, sizeof bytes);
    sodium_bin2hex(mark, sizeof mark, bytes, sizeof bytes);
    TRY(make_folder(folder));
    TRY(join_prepared(path, folder, mark));
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0)
        return failed("write", path);
    bool is_written = dprintf(file, "%s\n", mark) == BLOB_MARK_SIZE && fsync(file) == 0;
    close(file);
    if (!is_written || !directory_sync(folder))
        return failed("write", path);
    memcpy(ret_mark, mark, BLOB_MARK_SIZE);
    return OK;
}

bool
blob_mark_is_prepared(const char *folder, const char *mark)
{
    char path[PATH_BYTES];
    struct stat status;
    return join_prepared(path, folder, mark) == OK && lstat(path, &status) == 0 &&
           S_ISREG(status.st_mode);
}

// Where a file system cannot rename in this way (NFS), it links.
static bool
rename_to_new(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
        return true;
    return (errno == EINVAL || errno == ENOSYS) && link(from, to) == 0;
}

// What is there afterwards decides: of a link over a network an answer may be lost.
fallible
blob_mark_claim(const char *folder, const char *mark, char ret_found[BLOB_MARK_SIZE])
{
    char prepared[PATH_BYTES], path[PATH_BYTES], found[BLOB_MARK_SIZE];
    TRY(join_prepared(prepared, folder, mark));
    TRY(join(path, folder, mark_name));
    bool is_renamed = rename_to_new(prepared, path);
    int reason = errno;
    TRY(blob_mark_read(folder, found));
    errno = reason;
    if (!found[0] || (is_renamed && !directory_sync(folder)))
        return failed("write", path);
    if (strcmp(found, mark) == 0)
        blob_mark_forget(folder, mark); // of a link
    memcpy(ret_found, found, BLOB_MARK_SIZE);
    return OK;
}

void
blob_mark_forget(const char *folder, const char *mark)
{
    char path[PATH_BYTES];
    if (join_prepared(path, folder, mark) == OK)
        unlink(path);
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
