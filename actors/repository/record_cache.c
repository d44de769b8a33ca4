// record_cache.c - a table of entries, and a list of them in the order of their last use
// (record_cache.h).
#include "actors/repository/record_cache.h"

#include <assert.h>
#include <stdlib.h>

#include "proto/base/memory.h"

struct wanted {
    unsigned kind;
    const struct text *key;
};

static uint64_t
hash_of(unsigned kind, const struct text *key)
{
    return table_hash_u64(table_hash_text(key) + kind);
}

static bool
is_wanted(const void *value, const void *key)
{
    const struct cached_record *entry = value;
    const struct wanted *wanted = key;
    return entry->kind == wanted->kind && text_equal(entry->key, wanted->key);
}

static size_t
cost_of(const struct cached_record *entry)
{
    enum { BESIDE = 2 * sizeof(struct table_slot) + 32 }; // of the table, and of the heap's blocks
    return sizeof *entry + sizeof *entry->key + text_size(entry->key) + 1 + BESIDE +
           (entry->record ? record_size(entry->record) : 0);
}

// --- order of use ---

static void
unlink_use(struct record_cache *self, struct cached_record *entry)
{
    *(entry->older ? &entry->older->newer : &self->oldest) = entry->newer;
    *(entry->newer ? &entry->newer->older : &self->newest) = entry->older;
    entry->older = entry->newer = NULL;
}

static void
link_newest(struct record_cache *self, struct cached_record *entry)
{
    entry->older = self->newest;
    *(self->newest ? &self->newest->newer : &self->oldest) = entry;
    self->newest = entry;
}

static void
destroy(struct cached_record *entry)
{
    message_queue_finish(&entry->waiting);
    record_unref(&entry->record);
    free(entry->key);
    free(entry);
}

void
record_cache_finish(struct record_cache *self)
{
    struct cached_record *entry;
    for (size_t cursor = 0; (entry = table_next(&self->entries, &cursor)) != NULL;)
        destroy(entry);
    table_finish(&self->entries);
    *self = (struct record_cache){.limit = self->limit};
}

struct cached_record *
record_cache_find(struct record_cache *self, unsigned kind, const struct text *key)
{
    const struct wanted wanted = {kind, key};
    struct cached_record *entry =
        table_find(&self->entries, hash_of(kind, key), is_wanted, &wanted);
    if (entry && entry != self->newest) {
        unlink_use(self, entry);
        link_newest(self, entry);
    }
    return entry;
}

struct cached_record *
record_cache_take(struct record_cache *self, unsigned kind, const struct text *key)
{
    struct cached_record *entry = record_cache_find(self, kind, key);
    if (entry)
        return entry;
    entry = memory_take_zeroed(sizeof *entry);
    entry->kind = kind;
    entry->key = text_duplicate(key);
    table_add(&self->entries, hash_of(kind, key), entry);
    link_newest(self, entry);
    self->bytes += cost_of(entry);
    return entry;
}

void
record_cache_set(struct record_cache *self, struct cached_record *entry, const frozen_t *record)
{
    const frozen_t *held = record ? record_ref(record) : NULL;
    self->bytes -= cost_of(entry);
    record_unref(&entry->record);
    entry->record = held;
    entry->is_known = true;
    self->bytes += cost_of(entry);
}

void
record_cache_forget(struct record_cache *self, struct cached_record *entry)
{
    assert(!entry->is_asked && entry->waiting.count == 0);
    table_remove(&self->entries, hash_of(entry->kind, entry->key), entry);
    unlink_use(self, entry);
    self->bytes -= cost_of(entry);
    destroy(entry);
}

void
record_cache_trim(struct record_cache *self)
{
    struct cached_record *entry = self->oldest;
    while (entry && self->bytes > self->limit) {
        struct cached_record *newer = entry->newer;
        if (!entry->is_asked)
            record_cache_forget(self, entry);
        entry = newer;
    }
}
