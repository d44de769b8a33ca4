// audit_files.h - the files of a class of the audit log in their folder: its prefix, a number that
// no line in the file is below, `.jsonl`. Any thread.
#ifndef DIORAMA_PROTO_MESSAGE_AUDIT_FILES_H
#define DIORAMA_PROTO_MESSAGE_AUDIT_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/records/audit_line.h"

enum { AUDIT_PATH_SIZE = 2048 };

// The numbers in the names of all files of a class, the smallest first. Embedded; all zero is
// empty.
struct audit_files {
    uint64_t *firsts;
    size_t count;
};

// Reads the folder over `self`. Fails with ERR_UNAVAILABLE if it cannot be read.
fallible audit_files_read(const char *folder, enum audit_class class, struct audit_files *self);
void audit_files_finish(struct audit_files *self);

// The path of the file with this number; `folder` fits, see audit_log_open.
void audit_files_path(const char *folder, enum audit_class class, uint64_t first,
                      char ret_path[AUDIT_PATH_SIZE]);

#endif
