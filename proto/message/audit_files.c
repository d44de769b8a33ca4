// audit_files.c - names of the files of the audit log, and their order. Any thread.
#include "proto/message/audit_files.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

enum { FIRST_CAPACITY = 16 };

// The number in a name of the class; 0 for any other name.
static uint64_t
first_of(enum audit_class class, const char *name)
{
    uint64_t first = 0;
    int end = 0;
    size_t prefix = strlen(audit_class_rows[class].prefix);
    if (strncmp(name, audit_class_rows[class].prefix, prefix) != 0)
        return 0;
    name += prefix;
    if (sscanf(name, "%12" SCNu64 ".jsonl%n", &first, &end) != 1 || end == 0 || name[end])
        return 0;
    return first;
}

static int
by_number(const void *a, const void *b)
{
    uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

fallible
audit_files_read(const char *folder, enum audit_class class, struct audit_files *self)
{
    DIR *directory = opendir(folder);
    if (!directory)
        return fail(ERR_UNAVAILABLE, "", "%.180s: %s", folder, strerror(errno));
    size_t capacity = FIRST_CAPACITY;
    audit_files_finish(self);
    self->firsts = memory_take(capacity * sizeof *self->firsts);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        uint64_t first = first_of(class, entry->d_name);
        if (!first)
            continue;
        if (self->count == capacity)
            self->firsts = memory_resize(self->firsts, (capacity *= 2) * sizeof *self->firsts);
        self->firsts[self->count++] = first;
    }
    closedir(directory);
    qsort(self->firsts, self->count, sizeof *self->firsts, by_number);
    return OK;
}

void
audit_files_finish(struct audit_files *self)
{
    free(self->firsts);
    *self = (struct audit_files){0};
}

void
audit_files_path(const char *folder, enum audit_class class, uint64_t first,
                 char ret_path[AUDIT_PATH_SIZE])
{
    snprintf(ret_path, AUDIT_PATH_SIZE, "%.1900s/%s%012" PRIu64 ".jsonl", folder,
             audit_class_rows[class].prefix, first);
}
