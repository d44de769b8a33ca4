// table.c - linear probing with backward-shift deletion, which leaves no tombstones (table.h).

#include "proto/base/table.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"

enum {
    FIRST_CAPACITY = 8,
    DOUBLES_TO = 64, // a larger one grows by a quarter: what is free costs more than moving does
    MOVED_AT_ONCE = 256, // slots of a table that is moved whole when it grows
    // Slots of a larger one that each addition moves. The least is 6, but as long as some are left
    // both halves are there.
    MOVED_EACH = 64,
};

_Static_assert(sizeof(struct table_slot) == 12, "there is one or more for each of millions");

// Runs of values are moved whole, from one free slot to the next, so that what is left is found.
struct table_move {
    struct table_slots from;
    size_t next; // a free slot
    size_t left; // slots from there on, around the end
};

// --- hashes ---

// Of this process. Clients choose keys: with a hash that they can compute, they choose such that
// fall into one run, and each look for one of them takes as long as all of them.
static unsigned char secret[crypto_shorthash_KEYBYTES];

__attribute__((constructor)) static void
choose_secret(void)
{
    randombytes_buf(secret, sizeof secret);
}

static uint64_t
hash_bytes(const void *bytes, size_t size)
{
    uint64_t hash;
    static_assert(sizeof hash == crypto_shorthash_BYTES, "SipHash-2-4 has 64 bits");
    crypto_shorthash((unsigned char *)&hash, bytes, size, secret);
    return hash;
}

uint64_t
table_hash_text(const struct text *text)
{
    return hash_bytes(text_bytes(text), text_size(text));
}

uint64_t
table_hash_chars(const char *chars)
{
    return hash_bytes(chars, strlen(chars));
}

uint64_t
table_hash_u64(uint64_t number)
{
    return hash_bytes(&number, sizeof number);
}

// --- slots ---

// The part of a hash that a slot has.
static uint32_t
short_hash(uint64_t hash)
{
    return (uint32_t)(hash ^ (hash >> 32));
}

static size_t
slot_after(const struct table_slots *self, size_t index)
{
    return index + 1 < self->capacity ? index + 1 : 0;
}

// In the order of hashes, whatever the capacity: values move to larger slots in one sweep.
static size_t
slot_home(const struct table_slots *self, uint32_t hash)
{
    return (size_t)(((uint64_t)hash * self->capacity) >> 32);
}

// How far a slot is behind another one, around the end.
static size_t
slots_between(const struct table_slots *self, size_t from, size_t to)
{
    return to >= from ? to - from : to + self->capacity - from;
}

static void
slots_put(struct table_slots *self, uint32_t hash, void *value)
{
    size_t index = slot_home(self, hash);
    while (self->items[index].value)
        index = slot_after(self, index);
    self->items[index] = (struct table_slot){hash, value};
}

static void *
slots_find(const struct table_slots *self, uint32_t hash, table_match *matches, const void *key)
{
    if (!self->capacity)
        return NULL;
    for (size_t i = slot_home(self, hash); self->items[i].value; i = slot_after(self, i))
        if (self->items[i].hash == hash && matches(self->items[i].value, key))
            return self->items[i].value;
    return NULL;
}

// The slot that holds exactly this value; NULL if none does.
static struct table_slot *
slots_place_of(const struct table_slots *self, uint32_t hash, const void *value)
{
    if (!self->capacity)
        return NULL;
    for (size_t i = slot_home(self, hash); self->items[i].value; i = slot_after(self, i))
        if (self->items[i].value == value)
            return &self->items[i];
    return NULL;
}

// Frees a slot. Values that probed past it move back, as long as they stay at or after their home.
static void
slots_close(struct table_slots *self, struct table_slot *slot)
{
    size_t hole = (size_t)(slot - self->items);
    for (size_t i = slot_after(self, hole); self->items[i].value; i = slot_after(self, i)) {
        size_t home = slot_home(self, self->items[i].hash);
        if (slots_between(self, home, i) >= slots_between(self, hole, i)) {
            self->items[hole] = self->items[i];
            hole = i;
        }
    }
    self->items[hole] = (struct table_slot){0};
}

// --- growth ---

static void
move_end(struct table *self)
{
    if (self->move)
        free(self->move->from.items);
    free(self->move);
    self->move = NULL;
}

// Moves the values of so many slots or more.
static void
move_on(struct table *self, size_t count)
{
    struct table_move *move = self->move;
    for (size_t passed = 0; move->left > 0; passed++, move->left--) {
        struct table_slot *slot = &move->from.items[move->next];
        if (!slot->value && passed >= count)
            return;
        if (slot->value)
            slots_put(&self->slots, slot->hash, slot->value);
        *slot = (struct table_slot){0};
        move->next = slot_after(&move->from, move->next);
    }
    move_end(self);
}

static void
move_all(struct table *self)
{
    if (self->move)
        move_on(self, self->move->left);
}

static void
move_begin(struct table *self, struct table_slots from)
{
    struct table_move *move = memory_take_zeroed(sizeof *move);
    *move = (struct table_move){.from = from, .left = from.capacity};
    while (from.items[move->next].value)
        move->next++;
    self->move = move;
}

static size_t
capacity_after(size_t capacity)
{
    return capacity == 0 ? FIRST_CAPACITY : capacity + capacity / (capacity < DOUBLES_TO ? 1 : 4);
}

static void
table_grow(struct table *self)
{
    move_all(self);
    struct table_slots old = self->slots;
    self->slots.capacity = capacity_after(old.capacity);
    self->slots.items = calloc(self->slots.capacity, sizeof *self->slots.items);
    if (!self->slots.items)
        abort();
    if (old.capacity)
        move_begin(self, old);
    if (old.capacity <= MOVED_AT_ONCE)
        move_all(self);
}

// --- the table ---

void
table_finish(struct table *self)
{
    move_end(self);
    free(self->slots.items);
    *self = (struct table){0};
}

void
table_clear(struct table *self)
{
    move_end(self);
    if (self->count)
        memset(self->slots.items, 0, self->slots.capacity * sizeof *self->slots.items);
    self->count = 0;
}

void *
table_find(const struct table *self, uint64_t hash, table_match *matches, const void *key)
{
    void *value = slots_find(&self->slots, short_hash(hash), matches, key);
    if (!value && self->move)
        value = slots_find(&self->move->from, short_hash(hash), matches, key);
    return value;
}

void
table_add(struct table *self, uint64_t hash, void *value)
{
    if ((self->count + 1) * 4 > self->slots.capacity * 3)
        table_grow(self);
    if (self->move)
        move_on(self, MOVED_EACH);
    slots_put(&self->slots, short_hash(hash), value);
    self->count++;
}

// The slots in which exactly this value is, and its slot there; NULL if it is in none.
static struct table_slots *
slots_of(struct table *self, uint64_t hash, const void *value, struct table_slot **ret_slot)
{
    uint32_t kept = short_hash(hash);
    if ((*ret_slot = slots_place_of(&self->slots, kept, value)) != NULL)
        return &self->slots;
    if (self->move && (*ret_slot = slots_place_of(&self->move->from, kept, value)) != NULL)
        return &self->move->from;
    return NULL;
}

void
table_replace(struct table *self, uint64_t hash, const void *old, void *value)
{
    struct table_slot *slot;
    if (slots_of(self, hash, old, &slot))
        slot->value = value;
}

void
table_remove(struct table *self, uint64_t hash, const void *value)
{
    struct table_slot *slot;
    struct table_slots *slots = slots_of(self, hash, value, &slot);
    if (!slots)
        return;
    slots_close(slots, slot);
    self->count--;
}

void *
table_next(const struct table *self, size_t *cursor)
{
    size_t end = self->slots.capacity + (self->move ? self->move->from.capacity : 0);
    while (*cursor < end) {
        size_t index = (*cursor)++;
        void *value = index < self->slots.capacity
                          ? self->slots.items[index].value
                          : self->move->from.items[index - self->slots.capacity].value;
        if (value)
            return value;
    }
    return NULL;
}
