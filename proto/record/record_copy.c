// record_copy.c - walks a record and what it points to. Pure; any thread.
#include "proto/record/record_copy.h"

#include <assert.h>
#include <stdalign.h>
#include <string.h>

static size_t
aligned(size_t offset, size_t alignment)
{
    return (offset + alignment - 1) & ~(alignment - 1);
}

static void *
place_take(struct place *self, size_t size, size_t alignment)
{
    if (self->arena)
        return arena_alloc(self->arena, size);
    char *at = (char *)aligned((size_t)self->next, alignment);
    self->next = at + size;
    return at;
}

static size_t
text_room(const struct text *text)
{
    return sizeof(*text) + text->size + 1;
}

static size_t
texts_bytes(const struct texts *list)
{
    return sizeof(*list) + list->count * sizeof(list->items[0]);
}

static size_t
records_bytes(const struct records *list)
{
    return sizeof(*list) + list->count * sizeof(list->items[0]);
}

static const struct text *
copy_text(struct place *place, const struct text *text)
{
    if (text_size(text) == 0)
        return NULL;
    return memcpy(place_take(place, text_room(text), alignof(struct text)), text, text_room(text));
}

static const struct texts *
copy_texts(struct place *place, const struct texts *list)
{
    if (texts_count(list) == 0)
        return NULL;
    struct texts *copy = place_take(place, texts_bytes(list), alignof(struct texts));
    copy->count = list->count;
    for (uint32_t i = 0; i < list->count; i++)
        copy->items[i] = copy_text(place, list->items[i]);
    return copy;
}

static const struct records *
copy_records(struct place *place, const struct schema *of, const struct records *list)
{
    if (!list || list->count == 0)
        return NULL;
    struct records *copy = place_take(place, records_bytes(list), alignof(struct records));
    copy->count = list->count;
    for (uint32_t i = 0; i < list->count; i++)
        copy->items[i] = record_copy_to(place, of, list->items[i]);
    return copy;
}

const void *
record_copy_member(struct place *place, const struct field *field, const struct record *from)
{
    switch ((enum field_type)field->type) {
    case FIELD_TEXT:
        return copy_text(place, MEMBER_CONST(const struct text *, from, field));
    case FIELD_TEXTS:
        return copy_texts(place, MEMBER_CONST(const struct texts *, from, field));
    case FIELD_RECORD: {
        const struct record *nested = MEMBER_CONST(const struct record *, from, field);
        return nested ? record_copy_to(place, field->of, nested) : NULL;
    }
    case FIELD_RECORDS:
        return copy_records(place, field->of, MEMBER_CONST(const struct records *, from, field));
    case FIELD_BOOL:
    case FIELD_INTEGER:
    case FIELD_NUMBER:
    case FIELD_NUMBERS:
        break;
    }
    return NULL;
}

// Puts a copy of the member into `copy`, which holds the same bytes so far.
static void
copy_member(struct place *place, const struct field *field, const struct record *from,
            struct record *copy)
{
    if (field->type == FIELD_BOOL || field->type == FIELD_INTEGER || field->type == FIELD_NUMBER ||
        field->type == FIELD_NUMBERS)
        return;
    const void *pointed = record_copy_member(place, field, from);
    memcpy(record_member(copy, field), &pointed, sizeof pointed);
}

static void
clear_member(struct record *self, const struct field *field)
{
    if (record_part(self, field->rare))
        memset(record_member(self, field), 0, field_size(field));
}

// Whether the record has a member in its rare part that takes room: clients send texts that are
// empty, and where there is no part they read so.
static bool
has_rare(const struct schema *schema, const struct record *record)
{
    for (uint32_t i = 0; schema->rare && i < schema->count; i++) {
        const struct field *field = &schema->fields[i];
        if (field->rare && record_has(record, field->id) &&
            (field->type != FIELD_TEXT ||
             text_size(MEMBER_CONST(const struct text *, record, field)) > 0))
            return true;
    }
    return false;
}

// Gives `copy` a rare part of its own, with the bytes of that of `record`: a frozen one only if it
// has something to hold.
static void
copy_rare(struct place *place, const struct schema *schema, const struct record *record,
          struct record *copy)
{
    void *part = NULL;
    bool has_part = has_rare(schema, record);
    if (schema->rare && (has_part || place->arena))
        part = place_take(place, schema->rare_size, alignof(struct record));
    if (has_part)
        memcpy(part, record_part(record, schema->rare), schema->rare_size);
    if (schema->rare)
        memcpy((char *)copy + schema->rare, &part, sizeof part);
}

struct record *
record_copy_to(struct place *place, const struct schema *schema, const struct record *record)
{
    assert(record->schema->size >= schema->size);
    struct record *copy = place_take(place, schema->size, alignof(struct record));
    memcpy(copy, record, schema->size);
    copy->schema = schema;
    copy->present = record->present & RECORD_SCALAR;
    copy_rare(place, schema, record, copy);
    for (uint32_t i = 0; i < schema->count; i++) {
        const struct field *field = &schema->fields[i];
        if (!record_has(record, field->id)) {
            clear_member(copy, field);
            continue;
        }
        if (record_part(copy, field->rare))
            copy_member(place, field, record, copy);
        copy->present |= FIELD_BIT(field->id);
    }
    return copy;
}

// The sizes follow the order of the copy step by step, from offset `used` to the offset behind.

static size_t
measure_text(size_t used, const struct text *text)
{
    return text_size(text) ? aligned(used, alignof(struct text)) + text_room(text) : used;
}

static size_t
measure_texts(size_t used, const struct texts *list)
{
    if (texts_count(list) == 0)
        return used;
    used = aligned(used, alignof(struct texts)) + texts_bytes(list);
    for (uint32_t i = 0; i < list->count; i++)
        used = measure_text(used, list->items[i]);
    return used;
}

static size_t
measure_records(size_t used, const struct schema *of, const struct records *list)
{
    if (!list || list->count == 0)
        return used;
    used = aligned(used, alignof(struct records)) + records_bytes(list);
    for (uint32_t i = 0; i < list->count; i++)
        used = record_measure(used, of, list->items[i]);
    return used;
}

size_t
record_measure_member(size_t used, const struct field *field, const struct record *record)
{
    switch ((enum field_type)field->type) {
    case FIELD_TEXT:
        return measure_text(used, MEMBER_CONST(const struct text *, record, field));
    case FIELD_TEXTS:
        return measure_texts(used, MEMBER_CONST(const struct texts *, record, field));
    case FIELD_RECORD: {
        const struct record *nested = MEMBER_CONST(const struct record *, record, field);
        return nested ? record_measure(used, field->of, nested) : used;
    }
    case FIELD_RECORDS:
        return measure_records(used, field->of,
                               MEMBER_CONST(const struct records *, record, field));
    case FIELD_BOOL:
    case FIELD_INTEGER:
    case FIELD_NUMBER:
    case FIELD_NUMBERS:
        break;
    }
    return used;
}

size_t
record_measure(size_t used, const struct schema *schema, const struct record *record)
{
    used = aligned(used, alignof(struct record)) + schema->size;
    if (has_rare(schema, record))
        used = aligned(used, alignof(struct record)) + schema->rare_size;
    for (uint32_t i = 0; i < schema->count; i++)
        if (record_has(record, schema->fields[i].id))
            used = record_measure_member(used, &schema->fields[i], record);
    return used;
}
