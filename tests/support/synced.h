// synced.h - which files and folders were asked to be on the disk: fsync of the test's program and
// of the libraries that it is linked with, as libc's and counted.
#ifndef DIORAMA_TESTS_SUPPORT_SYNCED_H
#define DIORAMA_TESTS_SUPPORT_SYNCED_H

#include <stdbool.h>

// Forgets what was synced so far.
void synced_begin(void);

// Whether fsync was called for the file or folder at `path` since then.
bool synced_has(const char *path);

#endif
