// audit_writer.h - the thread that empties the queue of the audit log (proto/message/audit.h) and
// writes its lines, so that nobody waits for the disk. A process can have one at a time.
#ifndef DIORAMA_ACTORS_AUDIT_AUDIT_WRITER_H
#define DIORAMA_ACTORS_AUDIT_AUDIT_WRITER_H

#include "actors/audit/audit_log.h"

typedef struct audit_writer audit_writer_t;

struct audit_writer_settings {
    struct audit_log_settings log;
    bool is_each; // every write has a line
};

// Opens the log and starts. Fails as audit_log_open, or with ERR_UNAVAILABLE without a thread.
fallible audit_writer_create(const struct audit_writer_settings *settings,
                             audit_writer_t **ret_writer);
// Writes what was noted until now, and ends. Accepts NULL.
void audit_writer_destroy(audit_writer_t **self);
// All lines up to this number are in their files. Any thread.
uint64_t audit_writer_written(const audit_writer_t *self);

#endif
