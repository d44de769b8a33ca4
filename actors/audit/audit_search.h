// audit_search.h - looks through the files of the audit log for the lines that a request wants, a
// slice at a time. The actor's thread.
#ifndef DIORAMA_ACTORS_AUDIT_AUDIT_SEARCH_H
#define DIORAMA_ACTORS_AUDIT_AUDIT_SEARCH_H

#include "proto/message/audit_reader.h"
#include "proto/message/message.h"

enum { AUDIT_SEARCH_MS = 3 }; // how long a slice may take

typedef struct audit_search audit_search_t;

// Begins the search of a request: its filter, and its page, among the lines up to number `last`:
// beyond it the classes may not be written equally far. The folder is borrowed.
fallible audit_search_create(const char *folder, uint64_t last, struct message **message,
                             audit_search_t **ret_search);
// Accepts NULL; destroys a message that was not taken back.
void audit_search_destroy(audit_search_t **self);

// Looks on. True when the search has ended: its answer is written into the message.
bool audit_search_continue(audit_search_t *self);
// Whether the deadline of the request has passed.
bool audit_search_is_late(const audit_search_t *self);
// The message, yours.
struct message *audit_search_take(audit_search_t *self);

#endif
