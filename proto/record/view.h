// view.h - which members of a record an answer shows, and what is written for absent ones. All
// codecs that write names ask it: JSON and published msgpack.
#ifndef DIORAMA_PROTO_RECORD_VIEW_H
#define DIORAMA_PROTO_RECORD_VIEW_H

#include "proto/record/schema.h"

enum { FIELD_UNWRITTEN = FIELD_INPUT | FIELD_HIDDEN | FIELD_SECRET };

// Whether a record may be written with this field. If the field is optional, only if the record has
// it.
static inline bool
view_may_show(const struct view *self, const struct field *field)
{
    if (self && (self->revealed & FIELD_BIT(field->id)))
        return true;
    if (field->flags & FIELD_UNWRITTEN)
        return false;
    if ((field->flags & FIELD_PRIVATE) && !(self && self->with_private))
        return false;
    return !self || !self->fields || (self->fields & FIELD_BIT(field->id));
}

// The same for all members at once: of those that views may show that choose and reveal nothing
// (`written`), and of all (`ids`), those that this one shows.
static inline uint64_t
view_chosen(const struct view *self, uint64_t written, uint64_t ids)
{
    if (!self)
        return written;
    return (self->fields ? written & self->fields : written) | (ids & self->revealed);
}

// Whether `record` (NULL = one with nothing present) is written with this field. A NULL view shows
// all that an HTTP answer may show.
static inline bool
view_shows(const struct view *self, const struct field *field, const struct record *record)
{
    return view_may_show(self, field) &&
           (!(field->flags & FIELD_OPTIONAL) || (record && record_has(record, field->id)));
}

// The member of `record`; zeros of its type if it is absent.
static inline const void *
view_member(const struct field *field, const struct record *record)
{
    return record && record_has(record, field->id) ? record_member_const(record, field)
                                                   : field_zeros;
}

// The view of records nested in one that `self` shows: all their fields.
struct view view_inside(const struct view *self);

#endif
