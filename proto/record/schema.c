// schema.c - looking up the rows of a field table. Pure; any thread.
#include "proto/record/schema.h"

#include <string.h>

#include "proto/base/limits.h"

const double field_zeros[UINT8_MAX];

uint32_t
field_limit(const struct field *self)
{
    if (self->limit)
        return self->limit;
    return self->type == FIELD_TEXT ? LIMIT_TEXT_BYTES : LIMIT_RECORDS;
}

size_t
field_size(const struct field *self)
{
    switch ((enum field_type)self->type) {
    case FIELD_BOOL:
        return sizeof(bool);
    case FIELD_INTEGER:
        return sizeof(int64_t);
    case FIELD_NUMBER:
    case FIELD_NUMBERS:
        return self->capacity * sizeof(double);
    case FIELD_TEXT:
    case FIELD_TEXTS:
    case FIELD_RECORD:
    case FIELD_RECORDS:
        break;
    }
    return sizeof(void *);
}

// The label is the name with a quote before it, a quote and a colon after it.
static bool
field_is_called(const struct field *self, const char *name, size_t size)
{
    if (self->label_size == size + 3 && memcmp(self->label + 1, name, size) == 0)
        return true;
    return self->alias && strlen(self->alias) == size && memcmp(self->alias, name, size) == 0;
}

const struct field *
schema_find(const struct schema *self, const char *name, size_t size)
{
    for (uint32_t i = 0; i < self->count; i++)
        if (field_is_called(&self->fields[i], name, size))
            return &self->fields[i];
    return NULL;
}

const struct field *
schema_field(const struct schema *self, unsigned id)
{
    for (uint32_t i = 0; i < self->count; i++)
        if (self->fields[i].id == id)
            return &self->fields[i];
    return NULL;
}

size_t
schema_room_most(const struct schema *self)
{
    size_t most = schema_room(self);
    for (uint32_t i = 0; i < self->count; i++) {
        size_t inside = self->fields[i].of ? schema_room_most(self->fields[i].of) : 0;
        if (inside > most)
            most = inside;
    }
    return most;
}
