// batch.c - collects the writes of one commit (batch.h).

#include "actors/runtime/batch.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

static void
batch_release(struct parcel *parcel)
{
    struct batch *self = (struct batch *)(void *)parcel;
    for (size_t i = 0; i < self->count; i++)
        record_unref(&self->writes[i].record);
    free(self->writes);
    buffer_finish(&self->bytes);
    free(self);
}

struct batch *
batch_create(enum family family)
{
    struct batch *self = memory_take_zeroed(sizeof *self);
    self->base.destroy = batch_release;
    self->family = family;
    return self;
}

void
batch_destroy(struct batch **self)
{
    if (*self)
        batch_release(&(*self)->base);
    *self = NULL;
}

static uint32_t
add_bytes(struct batch *self, const struct key *key)
{
    uint32_t place = (uint32_t)self->bytes.size;
    buffer_put(&self->bytes, key->data, key->size);
    return place;
}

// Over the value that it has, where that is as large: what changes often does not grow.
static void
set_value(struct batch *self, struct write *write, const struct key *value)
{
    if (write->value_size >= value->size)
        memcpy(self->bytes.data + write->value, value->data, value->size);
    else
        write->value = add_bytes(self, value);
    write->value_size = (uint8_t)value->size;
}

static_assert(KEY_MAX <= UINT8_MAX, "a size of a write is one byte");

static struct write *
batch_add(struct batch *self, uint16_t part, struct key key)
{
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? self->capacity * 2 : 8;
        self->writes = memory_resize(self->writes, self->capacity * sizeof self->writes[0]);
    }
    struct write *write = &self->writes[self->count++];
    *write =
        (struct write){.part = part, .key = add_bytes(self, &key), .key_size = (uint8_t)key.size};
    return write;
}

void
batch_put_record(struct batch *self, uint16_t part, struct key key, const frozen_t *record)
{
    batch_add(self, part, key)->record = record_ref(record);
}

void
batch_put_value(struct batch *self, uint16_t part, struct key key, struct key value)
{
    set_value(self, batch_add(self, part, key), &value);
}

void
batch_delete(struct batch *self, uint16_t part, struct key key)
{
    batch_add(self, part, key)->is_delete = true;
}

void
batch_write_beside(struct batch *self, uint16_t part, struct key key, bool is_delete)
{
    batch_add(self, part, key)->is_delete = is_delete;
    self->beside++;
    self->beside_bytes += key.size;
}

static bool
is_write_of(const struct batch *self, const struct write *write, uint16_t part,
            const struct key *key)
{
    return write->part == part && !write->record && write->key_size == key->size &&
           memcmp(batch_key(self, write).data, key->data, key->size) == 0;
}

void
batch_put_newest(struct batch *self, size_t *place, uint16_t part, struct key key,
                 const struct key *value)
{
    bool is_there = *place < self->count && is_write_of(self, &self->writes[*place], part, &key);
    struct write *write = is_there ? &self->writes[*place] : batch_add(self, part, key);
    *place = (size_t)(write - self->writes);
    write->is_delete = !value;
    set_value(self, write, value ? value : &(struct key){0});
}

void
batch_put_newest_beside(struct batch *self, size_t *place, uint16_t part, struct key key,
                        const struct key *value)
{
    size_t count = self->count;
    batch_put_newest(self, place, part, key, value);
    if (self->count == count)
        return;
    self->beside++;
    self->beside_bytes += key.size + (value ? value->size : 0);
}
