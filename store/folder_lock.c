// folder_lock.c - flock on a file OWNER in the folder, which holds the number of its process. One
// thread.
#include "store/folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"

enum { LOOK_MS = 20, NUMBER_BYTES = 24 };

static fallible
refuse(const char *path, const char *advice)
{
    log_error("store_open_failed", "path=%s detail=%s", path, advice);
    return fail(ERR_UNAVAILABLE, "", "cannot open %s: %s", path, advice);
}

static const char *
advice_on(int number)
{
    switch (number) {
    case ENOTDIR:
    case EEXIST:
        return "a file stands where the data should; set another data.dir";
    case EROFS:
        return "the file system is read-only; set another data.dir";
    case ENOSPC:
        return "the disk is full; make room";
    default:
        return "give this user permission to read and write it, or set another data.dir";
    }
}

static int
owner_open(const char *path)
{
    char name[PATH_MAX];
    int size = snprintf(name, sizeof name, "%s/OWNER", path);
    if (size < 0 || (size_t)size >= sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return -1;
    return open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

// The process that wrote its number there; 0 = nobody can tell.
static long
owner_read(int lock)
{
    char text[NUMBER_BYTES] = "";
    ssize_t size = pread(lock, text, sizeof text - 1, 0);
    return size > 0 ? strtol(text, NULL, 10) : 0;
}

// For people and for the message of a second start; the lock holds without it.
static void
owner_write(int lock)
{
    if (ftruncate(lock, 0) != 0 || dprintf(lock, "%ld\n", (long)getpid()) < 0)
        log_warning("store_owner_unnamed", "reason=%s", strerror(errno));
}

static fallible
wait_for_owner(int lock, const char *path, uint64_t deadline_ms)
{
    static const struct timespec look = {.tv_nsec = LOOK_MS * 1000000L};
    bool is_told = false;
    while (flock(lock, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return refuse(path, strerror(errno));
        if (owner_read(lock) == (long)getpid())
            return refuse(path, "this process has it open already");
        if (clock_left_ms(deadline_ms) == 0)
            return refuse(path,
                          "another server has it open; stop that one or set another data.dir");
        if (!is_told)
            log_info("store_owner_awaited", "path=%s process=%ld", path, owner_read(lock));
        is_told = true;
        nanosleep(&look, NULL);
    }
    return OK;
}

fallible
folder_lock_take(const char *path, uint64_t deadline_ms, int *ret_lock)
{
    int lock = owner_open(path);
    if (lock < 0)
        return refuse(path, advice_on(errno));
    enum error error = wait_for_owner(lock, path, deadline_ms);
    if (error != OK) {
        close(lock);
        return error;
    }
    owner_write(lock);
    *ret_lock = lock;
    return OK;
}

void
folder_lock_release(int *lock)
{
    if (*lock >= 0)
        close(*lock);
    *lock = -1;
}
