// timeline.c - see timeline.h.
#include "actors/runtime/timeline.h"

#include <string.h>

void
timeline_add(struct timeline *self, uint64_t epoch, uint64_t position)
{
    if (self->count == TIMELINE_STARTS)
        memmove(self->starts, self->starts + 1, --self->count * sizeof self->starts[0]);
    self->starts[self->count++] = (struct timeline_start){epoch, position};
}

bool
timeline_has(const struct timeline *self, uint64_t epoch, uint64_t position, uint64_t head)
{
    size_t i = 0;
    while (i < self->count && self->starts[i].epoch != epoch)
        i++;
    if (i == self->count)
        return false;
    uint64_t end = i + 1 < self->count ? self->starts[i + 1].position : head;
    return position <= end;
}
