// dense_table.c - many small tables with linear probing. A slot is one word: the pointer, and in
// its upper bits, which no address uses, a piece of the hash (a tag). The tag alone says where in a
// part a value belongs, so a part grows, and a gap closes, without a look at the values.

#include "proto/base/dense_table.h"

#include <assert.h>
#include <stdlib.h>

#include "proto/base/memory.h"

enum {
    PARTS = 1024,
    ADDRESS_BITS = 48, // of a process, on the machines that we build for
    TAG_BITS = 64 - ADDRESS_BITS,
    FIRST_CAPACITY = 4,
};

_Static_assert(sizeof(void *) == sizeof(uint64_t), "a slot has a pointer and a tag");

struct dense_part {
    uint64_t *slots; // 0 = free
    uint32_t count, capacity;
};

// --- slots ---

static uint64_t
tag_of(uint64_t slot)
{
    return slot >> ADDRESS_BITS;
}

static void *
value_of(uint64_t slot)
{
    return (void *)(uintptr_t)(slot & ((UINT64_C(1) << ADDRESS_BITS) - 1));
}

// Part and tag come from different bits of the hash.
static uint64_t
slot_of(uint64_t hash, const void *value)
{
    assert((uintptr_t)value >> ADDRESS_BITS == 0);
    return hash >> ADDRESS_BITS << ADDRESS_BITS | (uintptr_t)value;
}

static struct dense_part *
part_of(const struct dense_table *self, uint64_t hash)
{
    return &self->parts[hash & (PARTS - 1)];
}

static uint32_t
after(const struct dense_part *self, uint32_t index)
{
    return index + 1 == self->capacity ? 0 : index + 1;
}

static uint32_t
home_of(const struct dense_part *self, uint64_t tag)
{
    return (uint32_t)(tag * self->capacity >> TAG_BITS);
}

static void
put(struct dense_part *self, uint64_t slot)
{
    uint32_t index = home_of(self, tag_of(slot));
    while (self->slots[index])
        index = after(self, index);
    self->slots[index] = slot;
}

// By a quarter; at most 7/8 of the slots are taken.
static void
grow(struct dense_part *self)
{
    struct dense_part old = *self;
    self->capacity = old.capacity ? old.capacity + old.capacity / 4 : FIRST_CAPACITY;
    self->slots = memory_take_zeroed(self->capacity * sizeof self->slots[0]);
    for (uint32_t i = 0; i < old.capacity; i++)
        if (old.slots[i])
            put(self, old.slots[i]);
    free(old.slots);
}

// Where exactly this slot is; NULL: nowhere.
static uint64_t *
place_of(const struct dense_part *self, uint64_t slot)
{
    if (self->count == 0)
        return NULL;
    for (uint32_t i = home_of(self, tag_of(slot)); self->slots[i]; i = after(self, i))
        if (self->slots[i] == slot)
            return &self->slots[i];
    return NULL;
}

// How far behind `from` an index is, around the end.
static uint32_t
distance(const struct dense_part *self, uint32_t from, uint32_t to)
{
    return to >= from ? to - from : to + self->capacity - from;
}

// Frees a slot. Values that probed past it move back, as long as they stay at or after their home.
static void
close_gap(struct dense_part *self, uint32_t hole)
{
    for (uint32_t i = after(self, hole); self->slots[i]; i = after(self, i)) {
        uint32_t home = home_of(self, tag_of(self->slots[i]));
        if (distance(self, home, i) >= distance(self, hole, i)) {
            self->slots[hole] = self->slots[i];
            hole = i;
        }
    }
    self->slots[hole] = 0;
}

// --- the table ---

void
dense_table_finish(struct dense_table *self)
{
    for (size_t i = 0; self->parts && i < PARTS; i++)
        free(self->parts[i].slots);
    free(self->parts);
    *self = (struct dense_table){0};
}

void *
dense_table_find(const struct dense_table *self, uint64_t hash, table_match *matches,
                 const void *key)
{
    if (self->count == 0)
        return NULL;
    const struct dense_part *part = part_of(self, hash);
    if (part->count == 0)
        return NULL;
    uint64_t tag = hash >> ADDRESS_BITS;
    for (uint32_t i = home_of(part, tag); part->slots[i]; i = after(part, i))
        if (tag_of(part->slots[i]) == tag && matches(value_of(part->slots[i]), key))
            return value_of(part->slots[i]);
    return NULL;
}

void
dense_table_add(struct dense_table *self, uint64_t hash, void *value)
{
    if (!self->parts)
        self->parts = memory_take_zeroed(PARTS * sizeof self->parts[0]);
    struct dense_part *part = part_of(self, hash);
    if ((part->count + 1) * UINT64_C(8) > part->capacity * UINT64_C(7))
        grow(part);
    put(part, slot_of(hash, value));
    part->count++;
    self->count++;
}

void
dense_table_replace(struct dense_table *self, uint64_t hash, const void *old, void *value)
{
    uint64_t *place = self->parts ? place_of(part_of(self, hash), slot_of(hash, old)) : NULL;
    if (place)
        *place = slot_of(hash, value);
}

void
dense_table_remove(struct dense_table *self, uint64_t hash, const void *value)
{
    struct dense_part *part = self->parts ? part_of(self, hash) : NULL;
    uint64_t *place = part ? place_of(part, slot_of(hash, value)) : NULL;
    if (!place)
        return;
    close_gap(part, (uint32_t)(place - part->slots));
    part->count--;
    self->count--;
}

// The cursor is part and slot.
void *
dense_table_next(const struct dense_table *self, size_t *cursor)
{
    enum { SLOT_BITS = 32 };
    for (size_t part = *cursor >> SLOT_BITS; self->parts && part < PARTS; part++) {
        const struct dense_part *at = &self->parts[part];
        for (size_t i = (uint32_t)*cursor; i < at->capacity; i++)
            if (at->slots[i]) {
                *cursor = part << SLOT_BITS | (i + 1);
                return value_of(at->slots[i]);
            }
        *cursor = (part + 1) << SLOT_BITS;
    }
    return NULL;
}

size_t
dense_table_size(const struct dense_table *self)
{
    size_t size = self->parts ? PARTS * sizeof self->parts[0] : 0;
    for (size_t i = 0; self->parts && i < PARTS; i++)
        size += self->parts[i].capacity * sizeof self->parts[i].slots[0];
    return size;
}
