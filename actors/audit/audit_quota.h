// audit_quota.h - how many lines of the class `security` a source may have in a day, so that no
// user pushes out those of others by logging in or changing who may see a scene again and again.
// One thread.
#ifndef DIORAMA_ACTORS_AUDIT_AUDIT_QUOTA_H
#define DIORAMA_ACTORS_AUDIT_AUDIT_QUOTA_H

#include <stdbool.h>

#include "proto/base/table.h"
#include "proto/message/audit.h"

enum {
    AUDIT_QUOTA_LINES = 200,
    AUDIT_QUOTA_MS = 24 * 3600 * 1000,
    AUDIT_QUOTA_SOURCES = 65536, // that are counted; beyond them the day begins again
};

// Embedded; all zero is valid and empty.
struct audit_quota {
    struct table sources;
    uint64_t began_ms;
};

// Whether the event may have a line there. Its source is its user, else the account that it names,
// else its address. Administrators and the server itself are not counted.
bool audit_quota_take(struct audit_quota *self, const struct audit_event *event, uint64_t now_ms);
void audit_quota_finish(struct audit_quota *self);

#endif
