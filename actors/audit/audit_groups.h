// audit_groups.h - events that have no line each: one line a user, scene, operation and minute,
// with their number. Its memory is bounded. One thread.
#ifndef DIORAMA_ACTORS_AUDIT_AUDIT_GROUPS_H
#define DIORAMA_ACTORS_AUDIT_AUDIT_GROUPS_H

#include <stdbool.h>

#include "proto/base/table.h"
#include "proto/message/audit.h"

enum {
    AUDIT_GROUPS_MOST = 2048,    // at the same time; beyond it all get their lines at once
    AUDIT_GROUP_MS = 60000,      // a minute
    AUDIT_GROUP_QUIET_MS = 1000, // the first line of a group comes when it pauses for so long
};

// Embedded; all zero is valid and empty.
struct audit_groups {
    struct table table;
};

// What a group's line says. `last_request` is the request of the last event.
typedef void audit_group_told(void *context, const struct audit_event *first, uint64_t count,
                              const char *last_request);

// Counts the event in its group. False if there is no room for its group: tell all and try again.
bool audit_groups_add(struct audit_groups *self, const struct audit_event *event, uint64_t now_ms);

// Tells the groups whose line is due, or all, and forgets those whose minute is over. A group whose
// user pauses has its line at once; what follows in the same minute is told at its end: two lines
// at most.
void audit_groups_tell(struct audit_groups *self, uint64_t now_ms, bool all, audit_group_told *tell,
                       void *context);

void audit_groups_finish(struct audit_groups *self);

#endif
