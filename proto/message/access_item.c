// access_item.c - the rule of reading (access_item.h).
#include "proto/message/access_item.h"

bool
access_is_owner(const struct caller *caller, const struct access_item *item)
{
    return text_size(item->owner) && text_is(item->owner, caller->user);
}

bool
access_sees_all(const struct caller *caller)
{
    return caller->role == CALLER_TRUSTED || caller->role == CALLER_ADMIN;
}

bool
access_sees(const struct caller *caller, const struct access_item *item)
{
    if (access_sees_all(caller))
        return true;
    return caller->role == CALLER_USER && (item->is_public || access_is_owner(caller, item));
}
