// secondary_index.c - a set of records for each value (secondary_index.h).
#include "actors/repository/secondary_index.h"

#include <stdlib.h>

#include "proto/base/memory.h"

struct posting {
    struct record_set records;
    struct text *value; // owned
};

enum {
    POSTING_BYTES = sizeof(struct posting) + 2 * sizeof(struct table_slot) + 32, // with its value
    ENTRY_BYTES = 24, // a place of 16 bytes, in arrays that are two thirds full
};

static bool
has_value(const void *posting, const void *value)
{
    return text_equal(((const struct posting *)posting)->value, value);
}

static struct posting *
find(const struct secondary_index *self, const struct text *value)
{
    return table_find(&self->postings, table_hash_text(value), has_value, value);
}

static void
posting_destroy(struct posting *posting)
{
    record_set_finish(&posting->records);
    free(posting->value);
    free(posting);
}

void
secondary_index_finish(struct secondary_index *self)
{
    struct posting *posting;
    for (size_t cursor = 0; (posting = table_next(&self->postings, &cursor)) != NULL;)
        posting_destroy(posting);
    table_finish(&self->postings);
    self->entries = 0;
}

size_t
secondary_index_room(const struct secondary_index *self)
{
    return self->postings.count * POSTING_BYTES + self->entries * ENTRY_BYTES;
}

static struct posting *
posting_create(const struct text *value)
{
    struct posting *posting = memory_take_zeroed(sizeof *posting);
    posting->value = text_duplicate(value);
    return posting;
}

void
secondary_index_put(struct secondary_index *self, const struct text *value, const frozen_t *record)
{
    if (text_size(value) == 0)
        return;
    struct posting *posting = find(self, value);
    if (!posting) {
        posting = posting_create(value);
        table_add(&self->postings, table_hash_text(value), posting);
    }
    size_t before = record_set_count(&posting->records);
    record_set_put(&posting->records, record);
    self->entries += record_set_count(&posting->records) - before;
}

void
secondary_index_remove(struct secondary_index *self, const struct text *value,
                       const frozen_t *record)
{
    struct posting *posting = text_size(value) ? find(self, value) : NULL;
    if (!posting)
        return;
    size_t before = record_set_count(&posting->records);
    record_set_remove(&posting->records, frozen_key(record));
    self->entries -= before - record_set_count(&posting->records);
    if (record_set_count(&posting->records) > 0)
        return;
    table_remove(&self->postings, table_hash_text(value), posting);
    posting_destroy(posting);
}

struct record_set *
secondary_index_set(const struct secondary_index *self, const struct text *value)
{
    struct posting *posting = text_size(value) ? find(self, value) : NULL;
    return posting ? &posting->records : NULL;
}

const frozen_t *const *
secondary_index_find(const struct secondary_index *self, const struct text *value,
                     size_t *ret_count)
{
    struct record_set *records = secondary_index_set(self, value);
    *ret_count = 0;
    return records ? record_set_items(records, ret_count) : NULL;
}
