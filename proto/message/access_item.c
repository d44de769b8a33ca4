// access_item.c - the access table, as far as it depends on the item (access_item.h).
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

// A device of another user is theirs, but the owner of a scene may end anybody's lock in it.
static bool
may_use_device(const struct message *message, bool is_owner)
{
    bool is_asked = operation_rows[message->operation].access == ACCESS_DEVICE;
    return !is_asked || !message->caller.takes_device ||
           (is_owner && message->operation == OBJECT_UNLOCK);
}

// What stands against it, in words; NULL: nothing.
static const char *
objection(const struct message *message, const struct access_item *item, enum error *ret_error)
{
    const struct caller *caller = &message->caller;
    *ret_error = ERR_NOT_FOUND;
    if (!access_sees(caller, item))
        return "there is no such item";
    *ret_error = ERR_FORBIDDEN;
    if (access_sees_all(caller))
        return NULL;
    bool is_owner = access_is_owner(caller, item);
    if (operation_rows[message->operation].access == ACCESS_CHANGE && !is_owner)
        return "it belongs to another user";
    return may_use_device(message, is_owner) ? NULL : "the device belongs to another user";
}

fallible
access_check(const struct message *message, const struct access_item *item)
{
    enum error error;
    const char *against = objection(message, item, &error);
    return against ? fail(error, "", "%s", against) : OK;
}

bool
access_permits(const struct message *message, const struct access_item *item)
{
    enum error error;
    return !objection(message, item, &error);
}
