// audit.h - what the audit log shall say, on its way there: a queue with a maximum that any thread
// adds to and one thread empties (actors/audit). A process has one, like one log.
#ifndef DIORAMA_PROTO_MESSAGE_AUDIT_H
#define DIORAMA_PROTO_MESSAGE_AUDIT_H

#include "proto/base/limits.h"
#include "proto/base/text.h"
#include "proto/message/message.h"

enum {
    AUDIT_NAME_SIZE = LIMIT_KEY_BYTES + 1,
    AUDIT_REQUEST_SIZE = 65,
    AUDIT_QUEUE_EVENTS = 8192, // that wait; each has half a kilobyte
    AUDIT_WAIT_MS = 1000,      // how long one that must not be lost waits for room
};

// One thing that was done. Texts are cut to their size; "" = there is none.
struct audit_event {
    enum audit_kind kind;
    uint64_t time_us;      // of the calendar; 0 = now
    const char *operation; // a literal, in capitals or not
    const char *noun;      // a literal: what kind of thing the key names
    int outcome;           // HTTP status
    bool is_by_admin;      // an administrator did it
    char user[USER_ID_SIZE];
    char address[sizeof((struct caller *)0)->peer];
    char request[AUDIT_REQUEST_SIZE];
    char key[AUDIT_NAME_SIZE];
    char scene[AUDIT_NAME_SIZE];
};

// Whether it was refused: nothing was done.
static inline bool
audit_is_refusal(const struct audit_event *event)
{
    return event->outcome >= 400;
}

// Copies a text of a client into a member of an event: what does not fit is cut, what is no
// character of UTF-8, and NUL, becomes `?`.
void audit_name(const struct text *text, char ret_name[AUDIT_NAME_SIZE]);

// Adds the event. Where nobody empties the queue it is forgotten. One that finds the queue full
// waits AUDIT_WAIT_MS if its kind has a line each. An event that finds no room is counted, and the
// log says how many it lacks. Any thread.
void audit_note(const struct audit_event *event);

// The log closes its file and opens it again by its name. Any thread.
void audit_reopen(void);

// --- the thread that empties it ---

// From now on events are kept. Only one thread may do this at a time.
void audit_begin(void);
// Waits at most `timeout_ms` for an event, then moves all that wait, at most `capacity`, into
// `events`. Returns how many.
size_t audit_take(struct audit_event *events, size_t capacity, uint64_t timeout_ms);
// How many events found no room since the last call.
uint64_t audit_take_lost(void);
// Whether somebody asked to open the file again since the last call.
bool audit_take_reopen(void);
// Ends a wait in audit_take, now or the next one.
void audit_wake(void);
// Events are forgotten again.
void audit_end(void);

#endif
