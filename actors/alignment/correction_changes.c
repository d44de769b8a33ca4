// correction_changes.c - a growing list of what became of corrections (news.h).
#include "actors/alignment/correction_changes.h"

#include <stdlib.h>
#include "proto/base/memory.h"

static void
release(struct parcel *parcel)
{
    struct news *self = (struct news *)(void *)parcel;
    for (size_t i = 0; i < self->count; i++)
        record_unref(&self->items[i].correction);
    free(self);
}

void
news_add(struct news **self, uint64_t scene_id, const struct record *correction, bool is_gone)
{
    enum { FIRST_CAPACITY = 16 };
    struct news *list = *self;
    if (!list || list->count == list->capacity) {
        size_t capacity = list ? list->capacity * 2 : FIRST_CAPACITY;
        struct news *grown = memory_resize(list, sizeof *list + capacity * sizeof list->items[0]);
        if (!list)
            *grown = (struct news){.base.destroy = release};
        grown->capacity = capacity;
        *self = list = grown;
    }
    list->items[list->count++] = (struct news_item){scene_id, record_ref(correction), is_gone};
}

void
news_destroy(struct news **self)
{
    if (*self)
        release(&(*self)->base);
    *self = NULL;
}
