// copied_batch.c - see copied_batch.h.
#include "actors/runtime/copied_batch.h"

#include <assert.h>
#include <stdlib.h>

#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/codec/record_msgpack.h"

static void
copied_batch_release(struct parcel *parcel)
{
    struct copied_batch *self = (struct copied_batch *)(void *)parcel;
    arena_finish(&self->arena);
    free(self->writes);
    free(self);
}

struct copied_batch *
copied_batch_create(void)
{
    struct copied_batch *self = memory_take_zeroed(sizeof *self);
    self->base.destroy = copied_batch_release;
    return self;
}

static struct bytes
copy(struct arena *arena, struct bytes bytes)
{
    return bytes.size ? (struct bytes){arena_copy(arena, bytes.data, bytes.size), bytes.size}
                      : (struct bytes){0};
}

const struct copied_write *
copied_batch_add(struct copied_batch *self, const struct store_operation *operation)
{
    const struct bytes key = operation->address.key;
    assert(key.size > 0);
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? self->capacity * 2 : 8;
        self->writes = memory_resize(self->writes, self->capacity * sizeof self->writes[0]);
    }
    struct copied_write *write = &self->writes[self->count++];
    *write = (struct copied_write){.tag = *(const unsigned char *)key.data,
                                   .part = operation->address.part,
                                   .is_delete = operation->is_delete,
                                   .key = copy(&self->arena, key),
                                   .value = copy(&self->arena, operation->value)};
    return write;
}

fallible
copied_write_record(const struct copied_write *self, const struct schema *schema,
                    const frozen_t **ret_record)
{
    if (record_frozen_from_stored(schema, self->value.data, self->value.size, ret_record) == OK)
        return OK;
    log_error("record_damaged", "tag=%c part=%u copied=1", (char)self->tag, self->part);
    return fail(ERR_INTERNAL, "", "a record of the leader is damaged (tag %c)", (char)self->tag);
}
