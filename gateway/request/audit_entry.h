// audit_entry.h - what the audit log says of a request that was answered (actors/audit). The
// operation's row decides whether it says anything.
#ifndef DIORAMA_GATEWAY_REQUEST_AUDIT_ENTRY_H
#define DIORAMA_GATEWAY_REQUEST_AUDIT_ENTRY_H

#include "gateway/request/route.h"
#include "proto/message/audit.h"

struct audit_entry {
    const struct route *route; // NULL: none was found
    const struct route_match *match;
    const struct caller *caller;
    const struct message *message; // NULL: it was refused before, or an actor kept it
    const char *request_id;
    int status;
};

// Whether anything that is asked by the route (NULL: none was found) can be told.
bool audit_entry_is_told(const struct route *route);

// How the request is told; AUDIT_NONE: not at all. A refusal of what has lines of its own is
// counted by the minute, so that nobody can fill the log with refusals; only a wrong password has a
// line, because those that guess are slowed elsewhere.
enum audit_kind audit_entry_kind(const struct audit_entry *self);

// Notes it; a request that made several things has a line for each of them.
void audit_entry_note(const struct audit_entry *self);

#endif
