// access.c - the access table, as far as it depends on the item. Pure.
#include "actors/runtime/access.h"

// A device of another user is theirs, but the owner of a scene may end anybody's lock in it.
static bool
may_use_device(const struct message *message, bool is_owner)
{
    bool is_asked = operation_rows[message->operation].access == ACCESS_DEVICE;
    return !is_asked || !message->caller.takes_device ||
           (is_owner && message->operation == OBJECT_UNLOCK);
}

fallible
access_check(const struct message *message, const struct access_item *item)
{
    const struct caller *caller = &message->caller;
    if (!access_sees(caller, item))
        return fail(ERR_NOT_FOUND, "", "there is no such item");
    if (access_sees_all(caller))
        return OK;
    bool is_owner = access_is_owner(caller, item);
    if (operation_rows[message->operation].access == ACCESS_CHANGE && !is_owner)
        return fail(ERR_FORBIDDEN, "", "it belongs to another user");
    if (!may_use_device(message, is_owner))
        return fail(ERR_FORBIDDEN, "", "the device belongs to another user");
    return OK;
}
