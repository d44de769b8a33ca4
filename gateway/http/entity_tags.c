// entity_tags.c - If-Match and If-None-Match from the header, and their decision for reads. Pure.
#include "gateway/http/entity_tags.h"

static fallible
take(const struct http_request *request, const char *name, unsigned member, struct message *message)
{
    const char *list = http_header_list(request, name, &message->arena);
    if (!list)
        return OK;
    if (!etag_list_is_valid(list))
        return fail(ERR_MALFORMED, "", "%s must be * or entity tags in double quotes", name);
    record_set_text(&message->params->base, member, text_from(&message->arena, list));
    return OK;
}

fallible
entity_tags_take(const struct http_request *request, struct message *message)
{
    TRY(take(request, "If-Match", PARAMS_IF_MATCH, message));
    return take(request, "If-None-Match", PARAMS_IF_NONE_MATCH, message);
}

// Whether an item of If-None-Match names this state in a coding that the client accepts.
static bool
is_known(const struct etag_item *item, const struct etag *etag, const struct acceptance *acceptance,
         enum content_coding *ret_coding)
{
    const char *name;
    size_t size;
    *ret_coding = CONTENT_CODING_IDENTITY;
    return etag_item_names(item, etag, ETAG_WEAK) && etag_item_coding(item, etag, &name, &size) &&
           (size == 0 || content_coding_from(name, size, ret_coding)) &&
           (item->is_any || acceptance->weights[*ret_coding] > 0);
}

fallible
entity_tags_decide(const struct params *params, const struct etag *etag,
                   const struct acceptance *acceptance, bool *ret_known,
                   enum content_coding *ret_coding)
{
    struct etag_item item;
    const char *must = text_chars(params->if_match), *list = text_chars(params->if_none_match);
    if (*must && !etag_list_names(must, etag, ETAG_STRONG))
        return fail(ERR_PRECONDITION, "", "the record is not in a state that If-Match names");
    *ret_known = false;
    while (!*ret_known && etag_next(&list, &item))
        *ret_known = is_known(&item, etag, acceptance, ret_coding);
    return OK;
}
