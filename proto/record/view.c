// view.c - the part of a record that is shown. Pure; any thread.
#include "proto/record/view.h"

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
