// projection.c - reads names with commas between them (projection.h).
#include "gateway/request/projection.h"

#include "proto/record/record.h"
#include "proto/record/view.h"

fallible
projection_apply(const struct params *params, struct view *view)
{
    size_t left = text_size(params->fields);
    if (left == 0)
        return OK;
    const char *names = text_chars(params->fields);
    uint64_t fields = FIELD_BIT(schema_key_field(view->of)->id);
    while (*names) {
        size_t size = strcspn(names, ",");
        const struct field *field = schema_find(view->of, names, size);
        if (!field || !view_may_show(view, field))
            return fail(ERR_INVALID, "/fields", "has no member %.*s to show", (int)size, names);
        fields |= FIELD_BIT(field->id);
        names += size + (names[size] == ',');
    }
    view->fields = fields;
    view->revealed &= fields;
    return OK;
}
