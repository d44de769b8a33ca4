// temporary.c - see the header. Any thread; no links are followed when the directory is removed.
#define _GNU_SOURCE // nftw
#include "tests/support/temporary.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static void
give_up(const char *what)
{
    perror(what);
    abort();
}

void
temporary_init(struct temporary *self)
{
    const char *parent = getenv("TMPDIR");
    int size = snprintf(self->path, sizeof self->path, "%s/diorama-test-XXXXXX",
                        parent && *parent ? parent : "/tmp");
    if (size < 0 || (size_t)size >= sizeof self->path || !mkdtemp(self->path))
        give_up("temporary directory");
}

static int
remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    return remove(path);
}

void
temporary_finish(struct temporary *self)
{
    if (*self->path && nftw(self->path, remove_entry, 16, FTW_DEPTH | FTW_PHYS) != 0)
        perror(self->path);
    *self->path = '\0';
}

void
temporary_path(const struct temporary *self, const char *name, char *ret_path)
{
    int size = snprintf(ret_path, TEMPORARY_PATH_BYTES, "%s/%s", self->path, name);
    if (size < 0 || size >= TEMPORARY_PATH_BYTES)
        give_up("temporary path");
}
