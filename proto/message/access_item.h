// access_item.h - who may do what with an item that belongs to somebody. Pure. The rule is told
// here alone: actors, streams and workers that read for themselves (shown.h) ask it. The gateway
// has already decided what does not depend on the item: whether the caller is logged in, an
// administrator, the user that the request names.
#ifndef DIORAMA_PROTO_MESSAGE_ACCESS_ITEM_H
#define DIORAMA_PROTO_MESSAGE_ACCESS_ITEM_H

#include "proto/message/message.h"

// What the rule sees of a scene (for all that is in it), a project, a collection, an asset or a
// relationship.
struct access_item {
    const struct text
        *owner; // id of a user; NULL or empty: nobody's, only administrators may change it
    bool is_public;
};

// Whether the item belongs to the caller.
bool access_is_owner(const struct caller *caller, const struct access_item *item);

// Whether the caller may read every item there is: administrators, and everybody without auth.
bool access_sees_all(const struct caller *caller);

// Whether the caller may read the item. Queries and bulk answers leave out what they may not.
bool access_sees(const struct caller *caller, const struct access_item *item);

// Whether the rule of the message's operation lets the caller do it with this item. Fails with
// ERR_NOT_FOUND if they may not even read it, with ERR_FORBIDDEN if they may not change it.
fallible access_check(const struct message *message, const struct access_item *item);

// The same without a word: whether it would be OK.
bool access_permits(const struct message *message, const struct access_item *item);

#endif
