// preconditions.c - If-Match and If-None-Match of requests that change something. The owner of the
// record decides them against the latest state, staged or durable, before it stages. Requests on
// something without a record of its own (a lock, a registration) are decided by the record that it
// belongs to.

#include "actors/runtime/preconditions.h"

bool
preconditions_are_open(const struct message *message)
{
    const struct record *params = &message->params->base;
    return message->progress == 0 &&
           (record_has(params, PARAMS_IF_MATCH) || record_has(params, PARAMS_IF_NONE_MATCH));
}

static bool
needs_no_tag(const struct text *list)
{
    return text_size(list) == 0 || text_is(list, "*");
}

bool
preconditions_need_no_tag(const struct message *message)
{
    return needs_no_tag(message->params->if_match) && needs_no_tag(message->params->if_none_match);
}

fallible
preconditions_decide(const struct message *message, const struct etag *etag)
{
    const struct params *params = message->params;
    const char *must = text_chars(params->if_match), *must_not = text_chars(params->if_none_match);
    if (*must && !(etag && etag_list_names(must, etag, ETAG_STRONG)))
        return fail(ERR_PRECONDITION, "", "the record is not in a state that If-Match names");
    if (*must_not && etag && etag_list_names(must_not, etag, ETAG_WEAK))
        return fail(ERR_PRECONDITION, "", "the record is in a state that If-None-Match names");
    return OK;
}

fallible
preconditions_check(const struct message *message, const struct record *record,
                    const struct view *view)
{
    struct etag etag = {0}; // any one is right where they need none
    if (!preconditions_are_open(message))
        return OK;
    if (!record)
        return preconditions_decide(message, NULL);
    if (!preconditions_need_no_tag(message))
        etag_of_record(record, view, &etag);
    return preconditions_decide(message, &etag);
}

fallible
preconditions_check_none(const struct message *message)
{
    return preconditions_check(message, NULL, NULL);
}
