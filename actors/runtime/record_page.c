// record_page.c - scans, and follows index records to what they lead to (record_page.h).
#include "actors/runtime/record_page.h"

#include <stdlib.h>

#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/codec/record_msgpack.h"

static void
release(struct parcel *parcel)
{
    struct record_page *self = (struct record_page *)(void *)parcel;
    record_page_clear(self);
    message_destroy(&self->asker);
    free(self->records);
    free(self->keys);
    free(self);
}

static struct record_page *
create(const struct index_family *family, const struct index_kind *kind, uint16_t part,
       const struct key *prefix)
{
    struct record_page *self = memory_take_zeroed(sizeof *self);
    self->base.destroy = release;
    self->family = family;
    self->kind = kind;
    self->part = part;
    self->limit = RECORD_PAGE_MOST;
    self->low = *prefix;
    self->high = key_after(prefix);
    return self;
}

struct record_page *
record_page_of_kind(const struct index_family *family, const struct index_kind *kind, uint16_t part)
{
    struct key prefix = key_of_tag(kind->tag);
    return create(family, kind, part, &prefix);
}

struct record_page *
record_page_by_index(const struct index_family *family, const struct index_kind *kind,
                     uint16_t part, const struct key *prefix)
{
    struct record_page *self = create(family, kind, part, prefix);
    self->is_by_index = true;
    return self;
}

void
record_page_destroy(struct record_page **self)
{
    if (*self)
        release(&(*self)->base);
    *self = NULL;
}

void
record_page_clear(struct record_page *self)
{
    for (size_t i = 0; i < self->count; i++)
        record_unref(&self->records[i]);
    self->count = 0;
    self->bytes = 0;
    self->is_more = false;
    self->result = STORE_OK;
}

static void
note_damage(struct record_page *self, struct bytes key)
{
    log_error("record_damaged", "family=%s part=%u key=%.*s",
              store_family_names[self->family->family], self->part, (int)key.size,
              (const char *)key.data);
    self->result = STORE_BAD;
}

// NULL, and logged, where it is damaged.
static const frozen_t *
decode(struct record_page *self, struct bytes key, struct bytes value)
{
    const frozen_t *record = NULL;
    if (record_frozen_from_stored(self->kind->schema, value.data, value.size, &record) == OK)
        return record;
    note_damage(self, key);
    return NULL;
}

static bool
visit(void *context, struct bytes key, store_version_t version, struct bytes value)
{
    struct record_page *self = context;
    (void)version;
    if (self->count == self->limit || (self->most_bytes && self->bytes >= self->most_bytes)) {
        self->is_more = true;
        return false;
    }
    self->bytes += value.size;
    struct key *found = &self->keys[self->count];
    found->size = key.size < sizeof found->data ? key.size : sizeof found->data;
    memcpy(found->data, key.data, found->size);
    self->records[self->count] = self->is_by_index ? NULL : decode(self, key, value);
    self->count++;
    return true;
}

// The record that an index record leads to; ABSENT where it has gone meanwhile.
static enum store_result
follow(struct record_page *self, store_t *store, uint64_t deadline_ms, size_t index)
{
    const struct index_kind *kind;
    const struct index_row *row;
    struct bytes name;
    store_version_t version;
    void *value = NULL;
    size_t size = 0;
    if (!index_key_read(self->family, key_bytes(&self->keys[index]), &kind, &row, &name))
        return STORE_ABSENT;
    struct key key = key_of_name(self->kind->tag, name);
    const struct store_address address = {self->family->family, self->part, key_bytes(&key)};
    enum store_result result = store_get(store, &address, deadline_ms, &version, &value, &size);
    if (result == STORE_OK)
        self->records[index] = decode(self, key_bytes(&key), (struct bytes){value, size});
    if (result == STORE_BAD)
        note_damage(self, key_bytes(&key));
    free(value);
    return result;
}

static enum store_result
follow_all(struct record_page *self, store_t *store, uint64_t deadline_ms)
{
    size_t kept = 0;
    for (size_t i = 0; i < self->count; i++) {
        enum store_result result = follow(self, store, deadline_ms, i);
        if (result == STORE_BAD) { // where it stands on the disk is damaged; others stand elsewhere
            self->result = result;
        } else if (result != STORE_OK && result != STORE_ABSENT) {
            while (i < self->count)
                self->records[i++] = NULL;
            self->count = kept;
            return result;
        }
        const frozen_t *record = self->records[i];
        self->records[i] = NULL;
        if (result == STORE_ABSENT)
            continue;
        self->records[kept] = record;
        self->keys[kept++] = self->keys[i];
    }
    self->count = kept;
    return self->result;
}

// The next page begins behind the last key of this one.
static void
move_on(struct record_page *self)
{
    const struct key *last = &self->keys[self->count - 1];
    if (self->is_backward) {
        self->high = *last;
        return;
    }
    self->low = key_next(last);
}

static void
reserve(struct record_page *self)
{
    if (self->room >= self->limit)
        return;
    self->room = self->limit;
    self->records = memory_resize(self->records, self->room * sizeof *self->records);
    self->keys = memory_resize(self->keys, self->room * sizeof *self->keys);
}

void
record_page_read(struct record_page *self, store_t *store, uint64_t deadline_ms)
{
    record_page_clear(self);
    reserve(self);
    enum store_result result = store_scan(
        store, self->family->family, self->part, key_bytes(&self->low), key_bytes(&self->high),
        self->is_backward, self->limit + 1, deadline_ms, visit, self);
    self->scanned = result;
    if (result == STORE_OK && self->count > 0)
        move_on(self);
    if (result == STORE_OK && self->is_by_index)
        result = follow_all(self, store, deadline_ms);
    if (result != STORE_OK)
        self->result = result;
}
