// axes.c - converts the records of a request to the axes that are stored.
#include "gateway/request/axes.h"

fallible
axes_take(struct message *message, const struct convention **ret_convention)
{
    const struct records *records = message->records;
    TRY(convention_find(message->params->convention, "", ret_convention));
    TRY(convention_lay_out(message->params->layout, ret_convention));
    for (uint32_t i = 0; *ret_convention && records && i < records->count; i++)
        convention_apply(*ret_convention, CONVENTION_IN, records->items[i]);
    return OK;
}
