// recall.c - the parcel of a record that is read for an actor (recall.h).
#include "actors/runtime/recall.h"

#include <stdlib.h>

#include "proto/base/memory.h"

static void
recall_release(struct parcel *parcel)
{
    struct recall *self = (struct recall *)(void *)parcel;
    message_destroy(&self->asker);
    free(self->value);
    free(self);
}

struct recall *
recall_create(enum family family, uint16_t part, struct key key, struct message **asker)
{
    struct recall *self = memory_take_zeroed(sizeof *self);
    *self = (struct recall){.family = family, .part = part, .key = key, .asker = *asker};
    self->base.destroy = recall_release;
    *asker = NULL;
    return self;
}
