// preconditions.h - If-Match and If-None-Match of requests that change something (RFC 9110). They
// fail with ERR_PRECONDITION.
#ifndef DIORAMA_ACTORS_RUNTIME_PRECONDITIONS_H
#define DIORAMA_ACTORS_RUNTIME_PRECONDITIONS_H

#include "proto/codec/etag.h"
#include "proto/message/message.h"

// Whether the request has conditions that are not decided yet. Its first slice decides them: later
// slices find the state that it made.
bool preconditions_are_open(const struct message *message);

// Whether they ask only whether there is a record, whatever its state: "*".
bool preconditions_need_no_tag(const struct message *message);

// Compares with the tag of what the request is about; NULL = there is no such record.
fallible preconditions_decide(const struct message *message, const struct etag *etag);

// Compares with the record as it will be (NULL = there is none) and as `view` shows it to readers.
fallible preconditions_check(const struct message *message, const struct record *record,
                             const struct view *view);

// The same for a record that is created.
fallible preconditions_check_none(const struct message *message);

#endif
