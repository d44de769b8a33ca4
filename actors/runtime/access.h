// access.h - who may do what with an item that belongs to somebody (decisions 12). Pure.
// What does not depend on the item (is the caller logged in, an administrator, the user itself) the
// gateway has decided before the message came.
#ifndef DIORAMA_ACTORS_RUNTIME_ACCESS_H
#define DIORAMA_ACTORS_RUNTIME_ACCESS_H

#include "proto/message/message.h"

// A scene (for all that is in it), project, collection, asset or relationship, as the rule sees it.
struct access_item {
    const struct text *owner; // id of a user; NULL or empty: nobody's, so the administrators'
    bool is_public;
};

// Whether the caller may read every item there is: administrators, and everybody without auth.
bool access_sees_all(const struct caller *caller);

// Whether the caller may read the item: what queries and bulk answers leave out where not.
bool access_sees(const struct caller *caller, const struct access_item *item);

// Whether the caller may do with the item what the rule of the message's operation asks. Fails with
// ERR_NOT_FOUND where they may not even read it, with ERR_FORBIDDEN where they may not change it.
fallible access_check(const struct message *message, const struct access_item *item);

#endif
