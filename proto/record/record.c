// record.c - the two lives of a record: loose in an arena, frozen in a block of its own.
// Loose records belong to one thread; frozen ones are read by any thread that holds a reference.
#include "proto/record/record.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "proto/record/record_block.h"
#include "proto/record/record_copy.h"

struct record *
record_new(struct arena *arena, const struct schema *schema)
{
    struct record *self = arena_alloc(arena, schema_room(schema));
    void *part = (char *)self + schema->size;
    if (schema->rare)
        memcpy((char *)self + schema->rare, &part, sizeof part);
    self->schema = schema;
    return self;
}

struct record *
record_copy_flat(struct arena *arena, const struct schema *schema, const struct record *record)
{
    struct record *copy = record_new(arena, schema);
    char *part = record_part(copy, schema->rare);
    const char *from = record_part(record, schema->rare);
    memcpy(copy, record, schema->size);
    copy->schema = schema;
    if (!schema->rare)
        return copy;
    memcpy((char *)copy + schema->rare, &part, sizeof part);
    if (from)
        memcpy(part, from, schema->rare_size);
    return copy;
}

struct record *
record_copy(struct arena *arena, const struct schema *schema, const struct record *record)
{
    struct place place = {.arena = arena};
    return record_copy_to(&place, schema, record);
}

size_t
record_frozen_size(const struct schema *schema, const struct record *record)
{
    return record_measure(sizeof(struct block), schema, record);
}

const frozen_t *
record_freeze(const struct schema *schema, const struct record *record)
{
    return record_freeze_sized(schema, record, record_frozen_size(schema, record));
}

const frozen_t *
record_freeze_sized(const struct schema *schema, const struct record *record, size_t size)
{
    struct block *block = block_create(size, BLOCK_PLAIN);
    struct place place = {.next = (char *)(block + 1)};
    record_copy_to(&place, schema, record);
    assert(place.next == (char *)block + size);
    return block_frozen(block);
}

// Moves a pointer by as much as its block moved.
static void *
rebase(const void *pointer, ptrdiff_t distance)
{
    return pointer ? (void *)((intptr_t)pointer + distance) : NULL;
}

static void rebase_record(struct record *self, ptrdiff_t distance);

static void
rebase_texts(struct texts *list, ptrdiff_t distance)
{
    for (uint32_t i = 0; list && i < list->count; i++)
        list->items[i] = rebase(list->items[i], distance);
}

static void
rebase_records(struct records *list, ptrdiff_t distance)
{
    for (uint32_t i = 0; list && i < list->count; i++) {
        list->items[i] = rebase(list->items[i], distance);
        rebase_record(list->items[i], distance);
    }
}

static void
rebase_member(struct record *self, const struct field *field, ptrdiff_t distance)
{
    if (field->type == FIELD_BOOL || field->type == FIELD_INTEGER || field->type == FIELD_NUMBER ||
        field->type == FIELD_NUMBERS)
        return;
    void *target;
    memcpy(&target, record_member(self, field), sizeof target);
    target = rebase(target, distance);
    memcpy(record_member(self, field), &target, sizeof target);
    if (field->type == FIELD_TEXTS)
        rebase_texts(target, distance);
    else if (field->type == FIELD_RECORDS)
        rebase_records(target, distance);
    else if (field->type == FIELD_RECORD && target)
        rebase_record(target, distance);
}

static void
rebase_record(struct record *self, ptrdiff_t distance)
{
    const struct schema *schema = self->schema;
    char *part = NULL;
    if (schema->rare) {
        part = rebase(record_part(self, schema->rare), distance);
        memcpy((char *)self + schema->rare, &part, sizeof part);
    }
    for (uint32_t i = 0; i < schema->count; i++)
        if (part || !schema->fields[i].rare)
            rebase_member(self, &schema->fields[i], distance);
}

frozen_t *
record_thaw_numbers(const frozen_t *frozen)
{
    assert(!frozen_is_packed(frozen));
    struct block *block = block_create(record_size(frozen), BLOCK_PLAIN);
    frozen_t *copy = block_frozen(block);
    memcpy(copy, frozen, record_size(frozen) - sizeof *block);
    rebase_record(frozen_edit(copy), (ptrdiff_t)((intptr_t)copy - (intptr_t)frozen));
    return copy;
}

static bool
is_lent(const frozen_t *frozen)
{
    return (block_of(frozen)->size & FROZEN_LENT) != 0;
}

// A lent record is packed, so that nothing in it points anywhere.
static const frozen_t *
copy_of_lent(const frozen_t *lent)
{
    struct block *block = block_create(record_size(lent), BLOCK_PACKED);
    block->size = block_of(lent)->size & ~FROZEN_LENT;
    frozen_t *copy = block_frozen(block);
    memcpy(copy, lent, record_size(lent) - sizeof *block);
    return copy;
}

const frozen_t *
record_ref(const frozen_t *frozen)
{
    if (frozen && is_lent(frozen))
        return copy_of_lent(frozen);
    if (frozen)
        atomic_fetch_add_explicit(&block_of(frozen)->refs, 1, memory_order_relaxed);
    return frozen;
}

void
record_unref(const frozen_t **frozen)
{
    if (!*frozen)
        return;
    struct block *block = block_of(*frozen);
    bool has_owner = is_lent(*frozen);
    *frozen = NULL;
    if (!has_owner && atomic_fetch_sub_explicit(&block->refs, 1, memory_order_acq_rel) == 1)
        free(block);
}

size_t
record_size(const frozen_t *frozen)
{
    return block_size(block_of(frozen));
}

const struct field *
schema_key_field(const struct schema *self)
{
    const struct field *field = self->fields;
    while (field->offset != offsetof(struct keyed, key))
        field++;
    return field;
}

const struct text *
record_text(const struct record *self, unsigned id)
{
    const struct field *field = schema_field(self->schema, id);
    return field && record_has(self, id) ? MEMBER_CONST(const struct text *, self, field) : NULL;
}

void
record_set_text(struct record *self, unsigned id, const struct text *value)
{
    const struct field *field = schema_field(self->schema, id);
    assert(field && field->type == FIELD_TEXT);
    MEMBER(const struct text *, self, field) = value;
    record_mark(self, id);
}

void
record_set_integer(struct record *self, unsigned id, int64_t value)
{
    const struct field *field = schema_field(self->schema, id);
    assert(field && field->type == FIELD_INTEGER);
    MEMBER(int64_t, self, field) = value;
    record_mark(self, id);
}

struct records *
records_new(struct arena *arena, size_t capacity)
{
    return arena_alloc(arena, sizeof(struct records) + capacity * sizeof(struct record *));
}
