// view.c - what of a record is shown. Pure; any thread.
#include "proto/view.h"

enum { FIELD_UNWRITTEN = FIELD_INPUT | FIELD_HIDDEN | FIELD_SECRET };

bool
view_may_show(const struct view *self, const struct field *field)
{
    if (field->flags & FIELD_UNWRITTEN)
        return false;
    if ((field->flags & FIELD_PRIVATE) && !(self && self->with_private))
        return false;
    return !self || !self->fields || (self->fields & FIELD_BIT(field->id));
}

bool
view_shows(const struct view *self, const struct field *field, const struct record *record)
{
    return view_may_show(self, field) &&
           (!(field->flags & FIELD_OPTIONAL) || (record && record_has(record, field->id)));
}

const void *
view_member(const struct field *field, const struct record *record)
{
    static const double zeros[UINT8_MAX]; // as many as a FIELD_NUMBERS can have
    if (record && record_has(record, field->id))
        return record_member_const(record, field);
    return zeros;
}

struct view
view_inside(const struct view *self)
{
    struct view inside = {0};
    if (self) {
        inside.aliases = self->aliases;
        inside.with_private = self->with_private;
    }
    return inside;
}
