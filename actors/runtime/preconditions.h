// preconditions.h - If-Match and If-None-Match of requests that change something (RFC 9110, 13;
// decisions 1). They fail with ERR_PRECONDITION.
#ifndef DIORAMA_ACTORS_RUNTIME_PRECONDITIONS_H
#define DIORAMA_ACTORS_RUNTIME_PRECONDITIONS_H

#include "proto/message/message.h"

// Whether the request has conditions that are not decided yet: its later slices find the state
// that the first one made.
bool preconditions_are_open(const struct message *message);

// Against the record as it will be and as `view` shows it to readers; NULL = there is none.
fallible preconditions_check(const struct message *message, const struct record *record,
                             const struct view *view);

// For what has no record before it is made.
fallible preconditions_check_none(const struct message *message);

#endif
