// access.c - the access table of decisions 12, as far as it depends on the item. Pure.
#include "actors/access.h"

static bool
is_mine(const struct caller *caller, const struct access_item *item)
{
    return text_size(item->owner) && text_is(item->owner, caller->user);
}

static bool
is_above(const struct caller *caller)
{
    return caller->role == CALLER_TRUSTED || caller->role == CALLER_ADMIN;
}

bool
access_sees(const struct caller *caller, const struct access_item *item)
{
    if (is_above(caller))
        return true;
    return caller->role == CALLER_USER && (item->is_public || is_mine(caller, item));
}

fallible
access_check(const struct message *message, const struct access_item *item)
{
    const struct caller *caller = &message->caller;
    if (!access_sees(caller, item))
        return fail(ERR_NOT_FOUND, "", "there is no such item");
    bool changes = operation_rows[message->operation].access == ACCESS_CHANGE;
    if (changes && !is_above(caller) && !is_mine(caller, item))
        return fail(ERR_FORBIDDEN, "", "it belongs to another user");
    return OK;
}
