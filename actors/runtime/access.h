// access.h - who may do what with an item that belongs to somebody; who may read it says
// access_item.h. Pure. The gateway has already decided what does not depend on the item: whether
// the caller is logged in, an administrator, the user that the request names.
#ifndef DIORAMA_ACTORS_RUNTIME_ACCESS_H
#define DIORAMA_ACTORS_RUNTIME_ACCESS_H

#include "proto/message/access_item.h"

// Whether the rule of the message's operation lets the caller do it with this item. Fails with
// ERR_NOT_FOUND if they may not even read it, with ERR_FORBIDDEN if they may not change it.
fallible access_check(const struct message *message, const struct access_item *item);

#endif
