// temporary.h - a directory of a test's own, removed with everything in it at the end.
#ifndef DIORAMA_TESTS_SUPPORT_TEMPORARY_H
#define DIORAMA_TESTS_SUPPORT_TEMPORARY_H

#include <stddef.h>

enum { TEMPORARY_PATH_BYTES = 512 };

struct temporary {
    char path[TEMPORARY_PATH_BYTES / 2];
};

// Under $TMPDIR, or /tmp; ends the test where none can be made.
void temporary_init(struct temporary *self);
void temporary_finish(struct temporary *self);

// Writes `<directory>/<name>` to ret_path, which has TEMPORARY_PATH_BYTES.
void temporary_path(const struct temporary *self, const char *name, char *ret_path);

#endif
