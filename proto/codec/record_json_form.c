// record_json_form.c - forms in a table that only grows: as many as there are schemas and variants.
// Any thread; two that make the same form at the same time agree on one.
#include "proto/codec/record_json_form.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "proto/base/memory.h"
#include "proto/record/view.h"

enum {
    VARIANTS = 4,
    PLACES = 1024, // of forms: several times as many as there are
};

static struct json_form *_Atomic forms[PLACES];

static unsigned
variant_of(const struct view *inside)
{
    return (inside->aliases ? 1U : 0U) | (inside->with_private ? 2U : 0U);
}

// --- making one ---

static void
put_alias(const char *alias, struct buffer *text)
{
    buffer_put_char(text, '"');
    buffer_put_chars(text, alias);
    buffer_put(text, "\":", 2);
}

static void
put_row(struct json_row *self, const struct field *field, const struct view *inside,
        json_value_writer *put_value, struct buffer *text)
{
    self->begin = (uint32_t)text->size;
    self->label_size = field->label_size;
    buffer_put(text, field->label, field->label_size);
    put_value(field, field_zeros, inside, text);
    buffer_put_char(text, ',');
    self->alias = (uint32_t)text->size;
    if (field->alias && inside->aliases) {
        put_alias(field->alias, text);
        self->alias_size = (uint16_t)(text->size - self->alias);
        put_value(field, field_zeros, inside, text);
        buffer_put_char(text, ',');
    }
}

static void
add_to_sets(struct json_form *self, const struct field *field, unsigned row,
            const struct view *inside)
{
    uint64_t bit = UINT64_C(1) << row;
    self->row_of[field->id] = (uint8_t)row;
    self->ids |= FIELD_BIT(field->id);
    if (view_may_show(inside, field))
        self->written |= FIELD_BIT(field->id);
    if (field->flags & FIELD_OPTIONAL)
        self->optional |= bit;
    if (field->type == FIELD_TEXTS || field->type == FIELD_RECORDS)
        self->lists |= bit;
}

static struct json_form *
form_create(const struct schema *schema, const struct view *inside, json_value_writer *put_value)
{
    static const char slack[JSON_STEP];
    struct json_form *self = memory_take_zeroed(sizeof *self);
    struct buffer text = {0};
    assert(schema->count <= JSON_ROWS_MOST);
    self->schema = schema;
    self->variant = variant_of(inside);
    for (uint32_t i = 0; i < schema->count; i++) {
        add_to_sets(self, &schema->fields[i], i, inside);
        put_row(&self->rows[i], &schema->fields[i], inside, put_value, &text);
    }
    self->rows[schema->count].begin = (uint32_t)text.size;
    buffer_put(&text, slack, sizeof slack);
    self->text = memory_resize(text.data, text.size);
    return self;
}

// --- finding one ---

// Puts it into the place, unless another one has come there; returns what is there.
static struct json_form *
settle(struct json_form *_Atomic *place, struct json_form *made)
{
    struct json_form *found = NULL;
    if (atomic_compare_exchange_strong_explicit(place, &found, made, memory_order_acq_rel,
                                                memory_order_acquire))
        return made;
    return found;
}

static void
form_destroy(struct json_form *self)
{
    free(self->text);
    free(self);
}

const struct json_form *
json_form_of(const struct schema *schema, const struct view *inside, json_value_writer *put_value)
{
    enum { SCHEMA_STEP = 16 };
    unsigned variant = variant_of(inside);
    struct json_form *made = NULL, *form;
    size_t first = (uintptr_t)schema / SCHEMA_STEP * VARIANTS + variant;
    for (size_t place = first;; place++) {
        assert(place < first + PLACES);
        struct json_form *_Atomic *at = &forms[place % PLACES];
        form = atomic_load_explicit(at, memory_order_acquire);
        if (!form)
            form = settle(at, made ? made : (made = form_create(schema, inside, put_value)));
        if (form->schema == schema && form->variant == variant)
            break;
    }
    if (made && made != form)
        form_destroy(made);
    return form;
}
