// audit_files.h - the files of the audit log in their folder: audit-<number of the first
// line>.jsonl. Any thread.
#ifndef DIORAMA_ACTORS_AUDIT_AUDIT_FILES_H
#define DIORAMA_ACTORS_AUDIT_AUDIT_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"

enum { AUDIT_PATH_SIZE = 2048 };

// The numbers of the first lines of all files, the smallest first. Embedded; all zero is empty.
struct audit_files {
    uint64_t *firsts;
    size_t count;
};

// Reads the folder over `self`. Fails with ERR_UNAVAILABLE if it cannot be read.
fallible audit_files_read(const char *folder, struct audit_files *self);
void audit_files_finish(struct audit_files *self);

// The path of the file whose first line has this number; `folder` fits, see audit_log_open.
void audit_files_path(const char *folder, uint64_t first, char ret_path[AUDIT_PATH_SIZE]);

#endif
