// directory.c - syncs folders (directory.h). Any thread.
#include "proto/base/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

bool
directory_sync(const char *path)
{
    int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return false;
    bool is_synced = fsync(directory) == 0 || errno == EINVAL || errno == EROFS;
    int reason = errno;
    close(directory);
    errno = reason;
    return is_synced;
}

bool
directory_sync_above(const char *path)
{
    char above[PATH_MAX];
    if (snprintf(above, sizeof above, "%s/..", path) < (int)sizeof above)
        return directory_sync(above);
    errno = ENAMETOOLONG;
    return false;
}
