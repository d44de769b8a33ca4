// view.h - which members of a record an answer shows, and what stands for those that are absent.
// Asked by every codec that writes names: JSON and published msgpack.
#ifndef DIORAMA_PROTO_VIEW_H
#define DIORAMA_PROTO_VIEW_H

#include "proto/schema.h"

// Whether a record may be written with this field: where it is optional, if it has it.
bool view_may_show(const struct view *self, const struct field *field);

// Whether `record` (NULL = one with nothing present) is written with this field. A NULL view shows
// what an HTTP answer may show.
bool view_shows(const struct view *self, const struct field *field, const struct record *record);

// The member of `record`, or zeros of its type where it is absent.
const void *view_member(const struct field *field, const struct record *record);

// The view of records nested in one that `self` shows: all their fields.
struct view view_inside(const struct view *self);

#endif
