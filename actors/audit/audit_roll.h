// audit_roll.h - the lines of one class of the audit log on the disk: each has the hash of the line
// before, in files that follow each other. One thread.
#ifndef DIORAMA_ACTORS_AUDIT_AUDIT_ROLL_H
#define DIORAMA_ACTORS_AUDIT_AUDIT_ROLL_H

#include <stdbool.h>

#include "proto/base/buffer.h"
#include "proto/message/audit_files.h"

typedef struct audit_roll audit_roll_t;

struct audit_roll_settings {
    const char *folder; // is there
    enum audit_class class;
    uint64_t size; // of all files together; the oldest go. A file has a tenth of it
    uint64_t days; // after which a file goes, counted from its last line
};

// Opens the newest file and reads its end, to continue the chain. A last line that was not written
// to its end is cut. Fails with ERR_UNAVAILABLE, the path in the detail.
fallible audit_roll_open(const struct audit_roll_settings *settings, audit_roll_t **ret_roll);
// Writes what waits, if that is possible. Accepts NULL.
void audit_roll_close(audit_roll_t **self);

// A number above those of all its lines.
uint64_t audit_roll_next(const audit_roll_t *self);
// How many bytes of a torn line were cut when it was opened.
uint64_t audit_roll_cut(const audit_roll_t *self);
// Hash of its newest line; 64 zeros if it has none.
const char *audit_roll_hash(const audit_roll_t *self);

// Adds a line without its end. Numbers grow.
void audit_roll_add(audit_roll_t *self, uint64_t number, const struct buffer *line);
// Writes the added lines to the file. False where the disk refuses: they wait for the next call.
bool audit_roll_write(audit_roll_t *self);
// Puts what was written on the disk, at most twice a second; begins the next file and removes old
// ones where it is time. `next` is the number of the next line of the whole log.
void audit_roll_keep(audit_roll_t *self, uint64_t next, uint64_t now_ms);
// Closes the file and opens it again by its name; one that was moved away is made anew.
void audit_roll_reopen(audit_roll_t *self, uint64_t next);

#endif
