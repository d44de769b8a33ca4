// known_tables.c - tables by their path, sorted (known_tables.h). One thread.
#include "store/backup/known_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "proto/base/memory.h"
#include "proto/base/owned.h"
#include "store/backup/digest_list.h"

enum { NAME_SIZE = 48 }; // "store/000123.sst"

struct known_table {
    char path[NAME_SIZE]; // first: entries are compared by it
    struct file_digest digest;
    uint64_t size;
};

struct known_tables {
    struct known_table *tables;
    size_t count, capacity;
};

static int
by_path(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool
is_table(const char *path)
{
    size_t size = strlen(path);
    return size < NAME_SIZE && strncmp(path, "store/", 6) == 0 &&
           strcmp(path + size - 4, ".sst") == 0;
}

// A file that is missing in the backup is not known: this backup does not share it.
static void
take(known_tables_t *self, const char *folder, const struct digest_line *line)
{
    struct stat status;
    char path[BACKUP_PATH_SIZE];
    if (!is_table(line->path) || backup_path(folder, line->path, path) != OK ||
        lstat(path, &status) != 0)
        return;
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? 2 * self->capacity : 64;
        self->tables = memory_resize(self->tables, self->capacity * sizeof *self->tables);
    }
    struct known_table *table = &self->tables[self->count++];
    *table = (struct known_table){.digest = line->digest, .size = (uint64_t)status.st_size};
    strcpy(table->path, line->path);
}

fallible
known_tables_read(const char *folder, known_tables_t **ret_tables)
{
    owned(known_tables_destroy) known_tables_t *self = memory_take_zeroed(sizeof *self);
    owned(digest_reader_destroy) digest_reader_t *reader = NULL;
    owned(backup_release) struct digest_line *line = memory_take_zeroed(sizeof *line);
    bool is_end = false;
    TRY(digest_reader_create(folder, &reader));
    while (!is_end) {
        TRY(digest_reader_next(reader, line, &is_end));
        if (!is_end)
            take(self, folder, line);
    }
    if (self->count)
        qsort(self->tables, self->count, sizeof *self->tables, by_path);
    *ret_tables = self;
    self = NULL;
    return OK;
}

bool
known_tables_find(const known_tables_t *self, const char *path, uint64_t size,
                  struct file_digest *ret_digest)
{
    if (!self || self->count == 0)
        return false;
    const struct known_table *found =
        bsearch(path, self->tables, self->count, sizeof *self->tables, by_path);
    if (!found || found->size != size)
        return false;
    *ret_digest = found->digest;
    return true;
}

void
known_tables_destroy(known_tables_t **self)
{
    if (!*self)
        return;
    free((*self)->tables);
    free(*self);
    *self = NULL;
}
