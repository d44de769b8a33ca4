// sorted_records.c - arrays of frozen records in the order of their keys (sorted_records.h).

#include "actors/runtime/sorted_records.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

enum {
    SLOT_SIZE = sizeof(const frozen_t *) + sizeof(uint64_t),
    FIRST_CAPACITY = 4,
    DOUBLES_TO = 64,
};

static uint64_t *
beginnings(const struct sorted_records *self)
{
    return (uint64_t *)(void *)(self->items + self->capacity);
}

// The first eight bytes of a key as a number: where those of two keys differ, they are in the same
// order as the keys. A shorter key ends with zeros.
static uint64_t
beginning_of(const struct text *key)
{
    unsigned char bytes[sizeof(uint64_t)] = {0};
    size_t size = text_size(key);
    memcpy(bytes, text_bytes(key), size < sizeof bytes ? size : sizeof bytes);
    uint64_t number = 0;
    for (size_t i = 0; i < sizeof bytes; i++)
        number = number << 8 | bytes[i];
    return number;
}

void
sorted_finish(struct sorted_records *self)
{
    for (size_t i = 0; i < self->count; i++)
        record_unref(&self->items[i]);
    free(self->items);
    *self = (struct sorted_records){0};
}

size_t
sorted_room(const struct sorted_records *self)
{
    return self->capacity * SLOT_SIZE;
}

size_t
sorted_place(const struct sorted_records *self, size_t count, const struct text *key)
{
    if (count == 0)
        return 0;
    const uint64_t *begin = beginnings(self), wanted = beginning_of(key);
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        bool is_less = begin[middle] != wanted
                           ? begin[middle] < wanted
                           : text_compare(frozen_key(self->items[middle]), key) < 0;
        if (is_less)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool
sorted_has(const struct sorted_records *self, const struct text *key, size_t *ret_index)
{
    *ret_index = sorted_place(self, self->count, key);
    return *ret_index < self->count && text_equal(frozen_key(self->items[*ret_index]), key);
}

// A large array grows by an eighth: what is free costs more than moving does. One that holds one
// record stays small.
static size_t
capacity_after(size_t capacity)
{
    return capacity < FIRST_CAPACITY ? FIRST_CAPACITY
           : capacity < DOUBLES_TO   ? capacity * 2
                                     : capacity + capacity / 8;
}

void
sorted_reserve_exactly(struct sorted_records *self, size_t capacity)
{
    if (capacity <= self->capacity)
        return;
    size_t old = self->capacity;
    self->capacity = capacity;
    self->items = memory_resize(self->items, self->capacity * SLOT_SIZE);
    memmove(beginnings(self), self->items + old, self->count * sizeof(uint64_t));
}

void
sorted_reserve(struct sorted_records *self, size_t capacity)
{
    size_t grown = capacity_after(self->capacity);
    if (capacity > self->capacity)
        sorted_reserve_exactly(self, capacity > grown ? capacity : grown);
}

void
sorted_set(struct sorted_records *self, size_t index, const frozen_t *record)
{
    self->items[index] = record;
    beginnings(self)[index] = beginning_of(frozen_key(record));
}

void
sorted_move(struct sorted_records *self, size_t to, size_t from, size_t count)
{
    uint64_t *begin = beginnings(self);
    memmove(self->items + to, self->items + from, count * sizeof(const frozen_t *));
    memmove(begin + to, begin + from, count * sizeof *begin);
}

void
sorted_insert(struct sorted_records *self, size_t index, const frozen_t *record)
{
    sorted_reserve(self, self->count + 1);
    sorted_move(self, index + 1, index, self->count - index);
    sorted_set(self, index, record);
    self->count++;
}

void
sorted_close_gap(struct sorted_records *self, size_t index)
{
    self->count--;
    sorted_move(self, index, index + 1, self->count - index);
}
