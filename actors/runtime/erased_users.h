// erased_users.h - the users who were erased last. A request of theirs may still wait in an actor:
// what it would write is refused, else their id would be stored again behind the walk that erases
// them. Bounded: no request waits while so many others are erased. Plain data of one actor.
#ifndef DIORAMA_ACTORS_RUNTIME_ERASED_USERS_H
#define DIORAMA_ACTORS_RUNTIME_ERASED_USERS_H

#include "proto/message/message.h"

enum { ERASED_USERS_MOST = 64 };

// Embedded; all zero at first.
struct erased_users {
    char ids[ERASED_USERS_MOST][USER_ID_SIZE];
    unsigned count; // of those that are there
    unsigned next;  // place of the next one
};

// Notes a user, once; it takes the place of the oldest.
void erased_users_add(struct erased_users *self, const char *id);
bool erased_users_have(const struct erased_users *self, const char *id);

#endif
