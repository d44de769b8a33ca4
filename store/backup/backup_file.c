// backup_file.c - digests, copies and links of files (backup_file.h).
#include "store/backup/backup_file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/directory.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "store/backup/sha256.h"

enum {
    CHUNK_BYTES = 1 << 20,
    FOLDERS_OPEN = 8,          // of a walk
    WRITEBACK_BYTES = 8 << 20, // what is copied goes to the disk in pieces: no commit waits for all
};

fallible
backup_file_failed(const char *what, const char *path)
{
    int reason = errno;
    enum error error = reason == ENOSPC || reason == EDQUOT ? ERR_STORAGE_FULL
                       : reason == ENOENT                   ? ERR_NOT_FOUND
                                                            : ERR_UNAVAILABLE;
    return fail(error, "", "cannot %s %s: %s", what, path, strerror(reason));
}

static void
file_close(const int *file)
{
    if (*file >= 0)
        close(*file);
}

static fallible
go_on(const struct backup_pace *pace)
{
    return pace->go_on ? pace->go_on(pace->context) : OK;
}

fallible
backup_path(const char *folder, const char *name, char ret_path[BACKUP_PATH_SIZE])
{
    int size = snprintf(ret_path, BACKUP_PATH_SIZE, "%s/%s", folder, name);
    if (size < 0 || size >= BACKUP_PATH_SIZE)
        return fail(ERR_INVALID, "", "%s/%s is too long a path", folder, name);
    return OK;
}

// The next bytes of a file; 0 at its end.
static fallible
read_chunk(int file, const char *path, unsigned char *chunk, size_t *ret_size)
{
    ssize_t size;
    do
        size = read(file, chunk, CHUNK_BYTES);
    while (size < 0 && errno == EINTR);
    if (size < 0)
        return backup_file_failed("read", path);
    *ret_size = (size_t)size;
    return OK;
}

static fallible
write_all(int file, const char *path, const void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t written = write(file, (const char *)data + done, size - done);
        if (written < 0 && errno != EINTR)
            return backup_file_failed("write", path);
        done += written > 0 ? (size_t)written : 0;
    }
    return OK;
}

// Digests one file and, where `out` is not -1, writes what it reads there.
static fallible
pass(int in, const char *from, int out, const char *to, const struct backup_pace *pace,
     struct file_digest *ret_digest, uint64_t *ret_size)
{
    owned(backup_release) unsigned char *chunk = memory_take(CHUNK_BYTES);
    owned(sha256_finish) struct sha256 sha256;
    sha256_begin(&sha256);
    uint64_t done = 0, begun = 0;
    for (size_t size = CHUNK_BYTES; size;) {
        TRY(go_on(pace));
        TRY(read_chunk(in, from, chunk, &size));
        sha256_add(&sha256, chunk, size);
        if (out >= 0)
            TRY(write_all(out, to, chunk, size));
        done += size;
        if (out >= 0 && done - begun >= WRITEBACK_BYTES) {
            sync_file_range(out, (off_t)begun, (off_t)(done - begun), SYNC_FILE_RANGE_WRITE);
            begun = done;
        }
    }
    sha256_end(&sha256, ret_digest);
    *ret_size = done;
    return OK;
}

// A pipe would be waited for without end, and nobody knows where a link leads.
fallible
backup_file_open(const char *path, int *ret_file)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0 && errno != ELOOP)
        return backup_file_failed("open", path);
    if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        file_close(&file);
        return fail(ERR_INVALID, "", "%s is no plain file", path);
    }
    *ret_file = file;
    return OK;
}

fallible
backup_file_digest(const char *path, const struct backup_pace *pace, struct file_digest *ret_digest,
                   uint64_t *ret_size)
{
    owned(file_close) int file = -1;
    TRY(backup_file_open(path, &file));
    return pass(file, path, -1, "", pace, ret_digest, ret_size);
}

static int
open_new(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

fallible
backup_file_copy(const char *from, const char *to, const struct backup_pace *pace,
                 struct file_digest *ret_digest, uint64_t *ret_size)
{
    owned(file_close) int in = -1;
    TRY(backup_file_open(from, &in));
    owned(file_close) int out = open_new(to);
    if (out < 0 && errno == EEXIST)
        return fail(ERR_CONFLICT, "", "%s is there already", to);
    if (out < 0)
        return backup_file_failed("make", to);
    TRY(pass(in, from, out, to, pace, ret_digest, ret_size));
    return fsync(out) == 0 ? OK : backup_file_failed("sync", to);
}

fallible
backup_file_link(const char *from, const char *to, bool *ret_is_linked)
{
    bool is_linked = link(from, to) == 0;
    bool is_impossible =
        errno == EXDEV || errno == EMLINK || errno == EPERM || errno == ENOTSUP || errno == ENOSYS;
    if (!is_linked && !is_impossible)
        return backup_file_failed("link", from);
    *ret_is_linked = is_linked;
    return OK;
}

fallible
backup_file_write(const char *path, const void *data, size_t size)
{
    owned(file_close) int file = open_new(path);
    if (file < 0)
        return backup_file_failed("make", path);
    TRY(write_all(file, path, data, size));
    return fsync(file) == 0 ? OK : backup_file_failed("sync", path);
}

fallible
backup_file_read(const char *path, size_t most, char **ret_data, size_t *ret_size)
{
    struct stat status;
    owned(file_close) int file = -1;
    TRY(backup_file_open(path, &file));
    if (fstat(file, &status) != 0)
        return backup_file_failed("read", path);
    if (status.st_size < 0 || (uint64_t)status.st_size > most)
        return fail(ERR_INVALID, "", "%s is not what it should be", path);
    size_t size = (size_t)status.st_size, done = 0;
    char *data = memory_take(size + 1);
    ssize_t got = 1;
    while (done < size && got > 0) {
        got = read(file, data + done, size - done);
        done += got > 0 ? (size_t)got : 0;
    }
    if (done < size) {
        free(data);
        return backup_file_failed("read", path);
    }
    data[size] = '\0';
    *ret_data = data;
    *ret_size = size;
    return OK;
}

fallible
backup_folder_make(const char *path)
{
    if (mkdir(path, 0700) == 0)
        return OK;
    if (errno == EEXIST)
        return fail(ERR_CONFLICT, "", "%s is there already", path);
    return backup_file_failed("make", path);
}

static fallible
lock_folder(const char *path, int *ret_lock)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (folder < 0)
        return backup_file_failed("open", path);
    if (flock(folder, LOCK_EX | LOCK_NB) != 0) {
        file_close(&folder);
        return fail(ERR_CONFLICT, "", "another process writes %s", path);
    }
    *ret_lock = folder;
    return OK;
}

fallible
backup_folder_claim(const char *path, int *ret_lock)
{
    owned(file_close) int left = -1;
    enum error error = backup_folder_make(path);
    if (error == ERR_CONFLICT) {
        TRY(lock_folder(path, &left));
        backup_tree_remove(path);
        error = backup_folder_make(path);
    }
    TRY(error);
    return lock_folder(path, ret_lock);
}

fallible
backup_folders_make(const char *to, const char *path)
{
    char folder[BACKUP_PATH_SIZE];
    TRY(backup_path(to, path, folder));
    for (char *slash = strchr(folder + strlen(to) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        enum error error = backup_folder_make(folder);
        if (error != OK && error != ERR_CONFLICT)
            return error;
        *slash = '/';
    }
    return OK;
}

static int
sync_folder(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)place;
    return kind == FTW_D && !directory_sync(path); // not 0 ends the walk
}

fallible
backup_tree_sync(const char *path)
{
    return nftw(path, sync_folder, FOLDERS_OPEN, FTW_PHYS | FTW_MOUNT) == 0
               ? OK
               : backup_file_failed("sync", path);
}

static int
remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    (void)remove(path); // what stays is looked for again at the next start
    return 0;
}

void
backup_tree_remove(const char *path)
{
    nftw(path, remove_entry, FOLDERS_OPEN, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
