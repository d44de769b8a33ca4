// key_count.c - scans keys and reads nothing else (key_count.h).
#include "actors/runtime/key_count.h"

#include "proto/base/clock.h"

enum { KEYS_AT_ONCE = 4096, CALL_DEADLINE_MS = 10000 };

void
key_count_finish(struct key_count *self)
{
    table_finish(&self->names);
    arena_finish(&self->arena);
    *self = (struct key_count){0};
}

// What a scan fills.
struct slice {
    struct key_count *count;
    const struct index_family *family;
    bool has_names; // a record may stand there several times
    size_t seen;
};

static bool
is_name(const void *value, const void *name)
{
    return text_equal(value, name);
}

// Whether the record that the key leads to comes for the first time.
static bool
is_first(struct slice *self, struct bytes key)
{
    struct key_count *count = self->count;
    const struct index_kind *kind;
    const struct index_row *row;
    struct bytes name;
    if (!index_key_read(self->family, key, &kind, &row, &name))
        return false;
    const struct text *text = text_new(&count->arena, name.data, name.size);
    uint64_t hash = table_hash_text(text);
    if (table_find(&count->names, hash, is_name, text))
        return false;
    table_add(&count->names, hash, (void *)(uintptr_t)text);
    return true;
}

static bool
visit(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct slice *self = context;
    struct key *passed = &self->count->passed;
    (void)version, (void)value;
    self->seen++;
    passed->size = key.size < sizeof passed->data ? key.size : sizeof passed->data;
    memcpy(passed->data, key.data, passed->size);
    self->count->count += !self->has_names || is_first(self, key);
    return true;
}

fallible
key_count_go_on(struct key_count *self, store_t *store, const struct index_family *family,
                const struct list_way *way, uint64_t most)
{
    const struct key_range *range = &way->ranges[self->range];
    struct slice slice = {.count = self,
                          .family = family,
                          .has_names = way->filter && way->filter->order == LIST_WORD};
    const struct key low = self->has_begun ? key_next(&self->passed) : range->low;
    uint64_t left = most - self->count;
    size_t limit = left < KEYS_AT_ONCE ? (size_t)left : KEYS_AT_ONCE;
    enum store_result result =
        store_scan(store, family->family, 0, key_bytes(&low), key_bytes(&range->high), false, limit,
                   clock_deadline_ms(CALL_DEADLINE_MS), visit, &slice);
    if (result != STORE_OK)
        return store_error(result);
    self->has_begun = slice.seen == limit;
    self->range += !self->has_begun;
    self->is_over = self->range == way->range_count || self->count >= most;
    return OK;
}
