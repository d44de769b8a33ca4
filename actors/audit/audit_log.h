// audit_log.h - the audit log on the disk: JSON lines, numbered, and for each class a chain in
// files of its own (audit_roll.h). One thread.
#ifndef DIORAMA_ACTORS_AUDIT_AUDIT_LOG_H
#define DIORAMA_ACTORS_AUDIT_AUDIT_LOG_H

#include <stdbool.h>

#include "proto/message/audit.h"
#include "proto/records/audit_line.h"

typedef struct audit_log audit_log_t;

struct audit_log_settings {
    const char *folder; // made if it is missing; its parent is there
    uint64_t size;      // of all files together; each class has a part, whose oldest files go
    uint64_t days;      // after which a file goes, counted from its last line
};

// Opens the log and continues its chains: a last line that was not written to its end is cut, which
// the log of events and the next line of its class say. Fails with ERR_UNAVAILABLE, the path in the
// detail.
fallible audit_log_open(const struct audit_log_settings *settings, audit_log_t **ret_log);
// Writes what waits, if that is possible. Accepts NULL.
void audit_log_close(audit_log_t **self);

// Adds the line of an event, which has happened `count` times; `last_request` is the request of the
// last of them, or NULL.
void audit_log_add(audit_log_t *self, enum audit_class class, const struct audit_event *event,
                   uint64_t count, const char *last_request);

// Writes the added lines to their files. False where the disk refuses: they wait for the next call.
bool audit_log_write(audit_log_t *self);
// All lines up to this number are in their files. Any thread.
uint64_t audit_log_written(const audit_log_t *self);

// Puts what was written on the disk, at most twice a second; begins the next file and removes old
// ones where it is time.
void audit_log_keep(audit_log_t *self, uint64_t now_ms);

// Closes the files and opens them again by their names; one that was moved away is made anew.
void audit_log_reopen(audit_log_t *self);

#endif
