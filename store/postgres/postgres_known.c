// postgres_known.c - two lines of text (postgres_known.h), written beside and renamed.
#include "store/postgres/postgres_known.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/directory.h"

#define FORM "system %" PRIu64 "\ndatabase %" PRIu32 "\ntimeline %" PRIu32 "\n"

enum { TEXT_SIZE = 96 };

// Numbers as they are written, and nothing behind them.
static bool
decode(const char *text, struct postgres_known *ret_known)
{
    char again[TEXT_SIZE];
    struct postgres_known known;
    if (sscanf(text, "system %" SCNu64 " database %" SCNu32 " timeline %" SCNu32, &known.system,
               &known.database, &known.timeline) != 3)
        return false;
    snprintf(again, sizeof again, FORM, known.system, known.database, known.timeline);
    *ret_known = known;
    return strcmp(again, text) == 0;
}

fallible
postgres_known_read(const char *path, struct postgres_known *ret_known)
{
    char text[TEXT_SIZE];
    *ret_known = (struct postgres_known){0};
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // no FIFO keeps it waiting
    if (file < 0 && errno == ENOENT)
        return OK;
    ssize_t size = file < 0 ? -1 : read(file, text, sizeof text - 1);
    int reason = errno;
    if (file >= 0)
        close(file);
    if (size < 0)
        return fail(ERR_UNAVAILABLE, "", "cannot read %.180s: %s", path, strerror(reason));
    text[size] = '\0';
    if (!decode(text, ret_known))
        return fail(
            ERR_UNAVAILABLE, "",
            "%.100s is damaged: it says which database was used before; look that store.uri "
            "is that one, and remove the file",
            path);
    return OK;
}

static bool
write_beside(const char *path, const struct postgres_known *known)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool is_written = file >= 0 &&
                      dprintf(file, FORM, known->system, known->database, known->timeline) > 0 &&
                      fsync(file) == 0;
    if (file < 0)
        return false;
    int reason = errno;
    is_written = close(file) == 0 && is_written;
    if (!is_written)
        errno = reason;
    return is_written;
}

// The folder's name takes the place of the file's.
static bool
sync_folder(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash)
        return directory_sync(".");
    *slash = '\0';
    return directory_sync(path);
}

fallible
postgres_known_write(const char *path, const struct postgres_known *known)
{
    char beside[POSTGRES_KNOWN_PATH_SIZE + 8];
    snprintf(beside, sizeof beside, "%.*s.new", POSTGRES_KNOWN_PATH_SIZE - 1, path);
    if (!write_beside(beside, known) || rename(beside, path) != 0) {
        int reason = errno;
        unlink(beside);
        return fail(ERR_UNAVAILABLE, "", "cannot write %.180s: %s", path, strerror(reason));
    }
    return sync_folder(beside)
               ? OK
               : fail(ERR_UNAVAILABLE, "", "cannot sync %.180s: %s", path, strerror(errno));
}
