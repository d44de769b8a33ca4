// table.c - linear probing with backward-shift deletion, which leaves no tombstones (table.h).

#include "proto/base/table.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { FIRST_CAPACITY = 16 };

uint64_t
table_hash_text(const struct text *text)
{
    return XXH3_64bits(text_bytes(text), text_size(text));
}

uint64_t
table_hash_chars(const char *chars)
{
    return XXH3_64bits(chars, strlen(chars));
}

uint64_t
table_hash_u64(uint64_t number)
{
    return XXH3_64bits(&number, sizeof number);
}

void
table_finish(struct table *self)
{
    free(self->slots);
    *self = (struct table){0};
}

void
table_clear(struct table *self)
{
    if (self->count)
        memset(self->slots, 0, self->capacity * sizeof self->slots[0]);
    self->count = 0;
}

static size_t
slot_after(const struct table *self, size_t index)
{
    return (index + 1) & (self->capacity - 1);
}

static size_t
slot_home(const struct table *self, uint64_t hash)
{
    return (size_t)hash & (self->capacity - 1);
}

static void
slot_put(struct table *self, uint64_t hash, void *value)
{
    size_t index = slot_home(self, hash);
    while (self->slots[index].value)
        index = slot_after(self, index);
    self->slots[index] = (struct table_slot){hash, value};
}

static void
table_grow(struct table *self)
{
    struct table old = *self;
    self->capacity = old.capacity ? old.capacity * 2 : FIRST_CAPACITY;
    self->slots = calloc(self->capacity, sizeof self->slots[0]);
    if (!self->slots)
        abort();
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i].value)
            slot_put(self, old.slots[i].hash, old.slots[i].value);
    free(old.slots);
}

void *
table_find(const struct table *self, uint64_t hash, table_match *matches, const void *key)
{
    if (!self->capacity)
        return NULL;
    for (size_t i = slot_home(self, hash); self->slots[i].value; i = slot_after(self, i))
        if (self->slots[i].hash == hash && matches(self->slots[i].value, key))
            return self->slots[i].value;
    return NULL;
}

void
table_add(struct table *self, uint64_t hash, void *value)
{
    if (self->count * 4 >= self->capacity * 3)
        table_grow(self);
    slot_put(self, hash, value);
    self->count++;
}

// The slot that holds exactly this value; `capacity` if none does.
static size_t
slot_of(const struct table *self, uint64_t hash, const void *value)
{
    if (!self->capacity)
        return 0;
    for (size_t i = slot_home(self, hash); self->slots[i].value; i = slot_after(self, i))
        if (self->slots[i].value == value)
            return i;
    return self->capacity;
}

void
table_replace(struct table *self, uint64_t hash, const void *old, void *value)
{
    size_t index = slot_of(self, hash, old);
    if (index < self->capacity)
        self->slots[index].value = value;
}

void
table_remove(struct table *self, uint64_t hash, const void *value)
{
    size_t hole = slot_of(self, hash, value);
    if (hole >= self->capacity)
        return;
    self->count--;
    // Closes the hole: values that probed past it move back, as long as they stay at or after their
    // home.
    size_t mask = self->capacity - 1;
    for (size_t i = slot_after(self, hole); self->slots[i].value; i = slot_after(self, i)) {
        size_t home = slot_home(self, self->slots[i].hash);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            self->slots[hole] = self->slots[i];
            hole = i;
        }
    }
    self->slots[hole] = (struct table_slot){0};
}

void *
table_next(const struct table *self, size_t *cursor)
{
    while (*cursor < self->capacity) {
        void *value = self->slots[(*cursor)++].value;
        if (value)
            return value;
    }
    return NULL;
}
