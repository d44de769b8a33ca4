// batch.c - collects the writes of one commit (batch.h).

#include "actors/runtime/batch.h"

#include <stdlib.h>
#include <string.h>

static void
batch_release(struct parcel *parcel)
{
    struct batch *self = (struct batch *)(void *)parcel;
    for (size_t i = 0; i < self->count; i++)
        record_unref(&self->writes[i].record);
    free(self->writes);
    free(self);
}

struct batch *
batch_create(enum family family)
{
    struct batch *self = calloc(1, sizeof *self);
    if (!self)
        abort();
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

static struct write *
batch_add(struct batch *self, uint16_t part, struct key key)
{
    if (self->count == self->capacity) {
        self->capacity = self->capacity ? self->capacity * 2 : 8;
        self->writes = realloc(self->writes, self->capacity * sizeof self->writes[0]);
        if (!self->writes)
            abort();
    }
    struct write *write = &self->writes[self->count++];
    write->part = part;
    write->key = key;
    write->is_delete = false;
    write->value.size = 0;
    write->record = NULL;
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
    batch_add(self, part, key)->value = value;
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
is_write_of(const struct write *write, uint16_t part, const struct key *key)
{
    return write->part == part && !write->record && write->key.size == key->size &&
           memcmp(write->key.data, key->data, key->size) == 0;
}

void
batch_put_newest(struct batch *self, size_t *place, uint16_t part, struct key key,
                 const struct key *value)
{
    bool is_there = *place < self->count && is_write_of(&self->writes[*place], part, &key);
    struct write *write = is_there ? &self->writes[*place] : batch_add(self, part, key);
    *place = (size_t)(write - self->writes);
    write->is_delete = !value;
    write->value = value ? *value : (struct key){0};
}
