// correction_changes.c - a growing list of changes (correction_changes.h).
#include "actors/alignment/correction_changes.h"

#include <stdlib.h>

#include "proto/base/memory.h"

static void
release(struct parcel *parcel)
{
    struct correction_changes *self = (struct correction_changes *)(void *)parcel;
    for (size_t i = 0; i < self->count; i++)
        record_unref(&self->items[i].correction);
    free(self);
}

void
correction_changes_add(struct correction_changes **self, uint64_t scene_id,
                       const frozen_t *correction, bool is_gone)
{
    enum { FIRST_CAPACITY = 16 };
    struct correction_changes *list = *self;
    if (!list || list->count == list->capacity) {
        size_t capacity = list ? list->capacity * 2 : FIRST_CAPACITY;
        struct correction_changes *grown =
            memory_resize(list, sizeof *list + capacity * sizeof list->items[0]);
        if (!list)
            *grown = (struct correction_changes){.base.destroy = release};
        grown->capacity = capacity;
        *self = list = grown;
    }
    list->items[list->count++] =
        (struct correction_change){scene_id, record_ref(correction), is_gone};
}

void
correction_changes_destroy(struct correction_changes **self)
{
    if (*self)
        release(&(*self)->base);
    *self = NULL;
}
