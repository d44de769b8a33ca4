// arrivals.c - finds key and stamp in datagrams of both forms. A plain datagram arrives for every
// update and listener, so it is searched instead of parsed: the server writes its members in a
// known form.
#include "tools/cli/arrivals.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"
#include "proto/feed/feed_packed.h"
#include "tools/cli/json_value.h"

struct entry {
    const struct text *key;
    uint32_t object;
};

struct roster {
    struct arena arena;
    struct table by_key;
    struct entry *entries;
    uint32_t objects;
};

roster_t *
roster_create(uint32_t objects)
{
    roster_t *self = memory_take_zeroed(sizeof *self);
    self->entries = memory_take_zeroed(objects * sizeof *self->entries);
    self->objects = objects;
    return self;
}

void
roster_destroy(roster_t **self)
{
    if (!*self)
        return;
    table_finish(&(*self)->by_key);
    arena_finish(&(*self)->arena);
    free((*self)->entries);
    free(*self);
    *self = NULL;
}

void
roster_put(roster_t *self, uint32_t object, const char *key)
{
    struct entry *entry = &self->entries[object];
    *entry = (struct entry){text_from(&self->arena, key), object};
    table_add(&self->by_key, table_hash_text(entry->key), entry);
}

uint32_t
roster_objects(const roster_t *self)
{
    return self->objects;
}

static bool
is_called(const void *value, const void *key)
{
    return text_equal(((const struct entry *)value)->key, key);
}

static const struct entry *
roster_find(const roster_t *self, const struct text *key)
{
    return table_find(&self->by_key, table_hash_text(key), is_called, key);
}

void
listener_init(struct listener *self, uint32_t objects)
{
    self->sequences = sequences_create();
    self->newest_us = memory_take_zeroed(objects * sizeof *self->newest_us);
}

void
listener_finish(struct listener *self)
{
    sequences_destroy(&self->sequences);
    free(self->newest_us);
    self->newest_us = NULL;
}

void
arrivals_finish(struct arrivals *self)
{
    table_finish(&self->indices.by_index);
    free(self->indices.items);
    self->indices = (struct roster_indices){0};
    arena_finish(&self->arena);
}

// --- indices ---

struct roster_index {
    uint64_t index; // 0: none yet
    const struct entry *entry;
};

static bool
is_index(const void *value, const void *key)
{
    return ((const struct roster_index *)value)->index == *(const uint64_t *)key;
}

// The index stands for the entry from now on, in the place of an older one.
static void
indices_put(struct roster_indices *self, const roster_t *roster, const struct entry *entry,
            uint64_t index)
{
    if (!self->items)
        self->items = memory_take_zeroed(roster->objects * sizeof *self->items);
    struct roster_index *item = &self->items[entry->object];
    if (item->index >= index)
        return; // the same, or it is late
    if (item->index)
        table_remove(&self->by_index, table_hash_u64(item->index), item);
    *item = (struct roster_index){index, entry};
    table_add(&self->by_index, table_hash_u64(index), item);
}

static const struct entry *
indices_find(const struct roster_indices *self, uint64_t index)
{
    const struct roster_index *item =
        table_find(&self->by_index, table_hash_u64(index), is_index, &index);
    return item ? item->entry : NULL;
}

// --- one change ---

static void
take_change(struct arrivals *self, struct listener *listener, const struct entry *entry,
            uint64_t stamp_us, uint64_t now_us)
{
    if (!entry || !stamp_us)
        return;
    self->changes++;
    _Atomic uint64_t *newest_us = &listener->newest_us[entry->object];
    if (stamp_us <= atomic_load_explicit(newest_us, memory_order_relaxed))
        return;
    atomic_store_explicit(newest_us, stamp_us, memory_order_relaxed);
    self->news++;
    latency_note(&self->latency, now_us > stamp_us ? now_us - stamp_us : 0);
}

static void
take_place(struct listener *listener, uint64_t epoch, uint64_t prev, uint64_t seq)
{
    uint64_t missing;
    const struct place place = {.scene = "", .epoch = epoch, .prev = prev, .seq = seq};
    sequences_note(listener->sequences, &place, &missing);
}

// --- the plain form ---

// The bytes after `name` in a datagram, or NULL.
static const char *
after(const char *data, size_t size, const char *name)
{
    const char *found = memmem(data, size, name, strlen(name));
    return found ? found + strlen(name) : NULL;
}

// The datagram ends with a brace, so a number in it ends before that.
static uint64_t
number_after(const char *data, size_t size, const char *name)
{
    const char *digits = after(data, size, name);
    return digits ? strtoull(digits, NULL, 10) : 0;
}

static bool
take_plain(struct arrivals *self, struct listener *listener, const void *datagram, size_t size,
           uint64_t now_us)
{
    const char *data = datagram;
    const char *key = size && data[size - 1] == '}' ? after(data, size, "\"key\":\"") : NULL;
    const char *end = key ? memchr(key, '"', size - (size_t)(key - data)) : NULL;
    uint64_t seq = number_after(data, end ? size : 0, "\"seq\":");
    if (!seq)
        return false;
    take_place(listener, 0, number_after(data, size, "\"prev\":"), seq);
    const struct text *text = text_new(&self->arena, key, (size_t)(end - key));
    take_change(self, listener, roster_find(self->roster, text),
                number_after(data, size, "\"timestamp\":"), now_us);
    return true;
}

// --- the packed form ---

static const struct entry *
entry_of(struct arrivals *self, const struct json *change)
{
    const struct json *key = json_find(change, "key");
    uint64_t index = json_value_unsigned(change, "index", 0);
    if (!key)
        return indices_find(&self->indices, index);
    const struct entry *entry = roster_find(self->roster, key->text);
    if (entry && index)
        indices_put(&self->indices, self->roster, entry, index);
    return entry;
}

static bool
take_packed(struct arrivals *self, struct listener *listener, const void *data, size_t size,
            uint64_t now_us)
{
    struct feed_packed_datagram datagram;
    if (feed_packed_read(&self->arena, data, size, &datagram) != OK)
        return false;
    take_place(listener, datagram.epoch, datagram.prev, datagram.seq);
    for (uint32_t i = 0; i < datagram.changes->count; i++) {
        const struct json *change = &datagram.changes->items[i];
        take_change(self, listener, entry_of(self, change),
                    json_value_unsigned(change, "timestamp", 0), now_us);
    }
    return true;
}

void
arrivals_take(struct arrivals *self, struct listener *listener, const void *data, size_t size,
              uint64_t now_us)
{
    self->datagrams++;
    self->bytes += size;
    arena_finish(&self->arena);
    if (!(self->packed ? take_packed : take_plain)(self, listener, data, size, now_us))
        self->unreadable++;
}
