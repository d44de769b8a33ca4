// record_msgpack_write.c - records as msgpack maps, by field id or by name (record_msgpack.h).
// Pure; any thread.
#include <string.h>

#include "proto/codec/json_tree.h"
#include "proto/codec/record_msgpack.h"
#include "proto/record/view.h"
#include "proto/spatial/transform_bytes.h"

// The form in which a record is written: stored maps leave `without` out and have ids as keys;
// published maps show what the view shows and have names as keys; packed maps are stored maps with
// matrices as bytes. JSON is stored as text, and published and packed as the value that it is.
struct form {
    uint16_t without;
    bool by_name;
    bool packs_matrices;
    const struct view *view;
};

enum { FIELD_UNSTORED = FIELD_INPUT | FIELD_SECRET | FIELD_DERIVED | FIELD_TRANSIENT };

static void put_map(const struct record *record, const struct schema *schema,
                    const struct form *form, struct buffer *out);

static bool
is_written(const struct form *form, const struct field *field, const struct record *record)
{
    if (form->by_name)
        return view_shows(form->view, field, record);
    return record && record_has(record, field->id) && !(field->flags & form->without);
}

static bool
has_second_name(const struct form *form, const struct field *field)
{
    return form->by_name && form->view && form->view->aliases && field->alias;
}

static uint32_t
count_written(const struct form *form, const struct schema *schema, const struct record *record)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < schema->count; i++)
        if (is_written(form, &schema->fields[i], record))
            count += has_second_name(form, &schema->fields[i]) ? 2 : 1;
    return count;
}

static void
put_text(const struct text *text, struct buffer *out)
{
    msgpack_put_text(out, text_bytes(text), text_size(text));
}

static void put_tree(const struct json *value, struct buffer *out);

static void
put_tree_items(const struct json *value, struct buffer *out)
{
    for (uint32_t i = 0; i < value->count; i++) {
        if (value->type == JSON_OBJECT)
            put_text(value->members[i].name, out);
        put_tree(value->type == JSON_OBJECT ? &value->members[i].value : &value->items[i], out);
    }
}

// The recursion ends at LIMIT_JSON_DEPTH: no tree is deeper.
static void
put_tree(const struct json *value, struct buffer *out)
{
    switch (value->type) {
    case JSON_NULL:
        msgpack_put_nil(out);
        return;
    case JSON_BOOL:
        msgpack_put_bool(out, value->boolean);
        return;
    case JSON_INTEGER:
        msgpack_put_integer(out, value->integer);
        return;
    case JSON_NUMBER:
        msgpack_put_number(out, value->number);
        return;
    case JSON_TEXT:
        put_text(value->text, out);
        return;
    case JSON_ARRAY:
        msgpack_put_array(out, value->count);
        break;
    case JSON_OBJECT:
        msgpack_put_map(out, value->count);
        break;
    }
    put_tree_items(value, out);
}

// The value that a text of JSON says; nil if it says none, which no request can bring about.
static void
put_json(const struct text *text, struct buffer *out)
{
    struct arena arena = {0};
    const struct json *value;
    if (json_parse(&arena, text_bytes(text), text_size(text), &value) == OK)
        put_tree(value, out);
    else
        msgpack_put_nil(out);
    arena_finish(&arena);
}

enum { MATRIX_NUMBERS = 16 };

static void
put_numbers(const double *numbers, uint32_t count, const struct form *form, struct buffer *out)
{
    unsigned char bytes[TRANSFORM_MATRIX_BYTES];
    if (form->packs_matrices && count == MATRIX_NUMBERS) {
        msgpack_put_bytes(out, bytes, transform_to_bytes(numbers, bytes));
        return;
    }
    msgpack_put_array(out, count);
    for (uint32_t i = 0; i < count; i++)
        msgpack_put_number(out, numbers[i]);
}

static void
put_texts(const struct texts *list, struct buffer *out)
{
    uint32_t count = list ? list->count : 0;
    msgpack_put_array(out, count);
    for (uint32_t i = 0; i < count; i++)
        put_text(list->items[i], out);
}

static void
put_records(const struct records *list, const struct form *form, struct buffer *out)
{
    uint32_t count = list ? list->count : 0;
    msgpack_put_array(out, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct record *item = list->items[i];
        if (item->present & RECORD_SCALAR)
            msgpack_put_number(out, MEMBER_CONST(double, item, &item->schema->fields[0]));
        else
            put_map(item, item->schema, form, out);
    }
}

static void
put_value(const struct field *field, const void *member, const struct form *form,
          struct buffer *out)
{
    switch ((enum field_type)field->type) {
    case FIELD_TEXT:
        if ((field->flags & FIELD_JSON) && (form->by_name || form->packs_matrices))
            put_json(*(const struct text *const *)member, out);
        else
            put_text(*(const struct text *const *)member, out);
        break;
    case FIELD_BOOL:
        msgpack_put_bool(out, *(const bool *)member);
        break;
    case FIELD_INTEGER:
        msgpack_put_integer(out, *(const int64_t *)member);
        break;
    case FIELD_NUMBER:
        msgpack_put_number(out, *(const double *)member);
        break;
    case FIELD_NUMBERS:
        put_numbers(member, field->capacity, form, out);
        break;
    case FIELD_TEXTS:
        put_texts(*(const struct texts *const *)member, out);
        break;
    case FIELD_RECORD:
        put_map(*(const struct record *const *)member, field->of, form, out);
        break;
    case FIELD_RECORDS:
        put_records(*(const struct records *const *)member, form, out);
        break;
    }
}

static void
put_name(const struct form *form, const struct field *field, struct buffer *out)
{
    if (form->by_name)
        msgpack_put_text(out, field->name, strlen(field->name));
    else
        msgpack_put_unsigned(out, field->id);
}

static void
put_map(const struct record *record, const struct schema *schema, const struct form *form,
        struct buffer *out)
{
    struct view view_of_nested = view_inside(form->view);
    struct form nested = {form->without, form->by_name, form->packs_matrices, &view_of_nested};
    msgpack_put_map(out, count_written(form, schema, record));
    for (uint32_t i = 0; i < schema->count; i++) {
        const struct field *field = &schema->fields[i];
        if (!is_written(form, field, record))
            continue;
        put_name(form, field, out);
        put_value(field, view_member(field, record), &nested, out);
        if (!has_second_name(form, field))
            continue;
        msgpack_put_text(out, field->alias, strlen(field->alias));
        put_value(field, view_member(field, record), &nested, out);
    }
}

void
record_to_stored(const struct record *record, struct buffer *out)
{
    put_map(record, record->schema, &(struct form){.without = FIELD_UNSTORED}, out);
}

void
record_to_frame(const struct record *record, struct buffer *out)
{
    put_map(record, record->schema, &(struct form){.without = FIELD_SECRET}, out);
}

void
record_to_published(const struct record *record, const struct view *view, struct buffer *out)
{
    put_map(record, record->schema, &(struct form){.by_name = true, .view = view}, out);
}

void
record_member_to_packed(const struct record *record, const struct field *field, struct buffer *out)
{
    static const struct form packed = {.without = FIELD_UNSTORED, .packs_matrices = true};
    if ((field->flags & FIELD_OPTIONAL) && !record_has(record, field->id))
        msgpack_put_nil(out);
    else
        put_value(field, view_member(field, record), &packed, out);
}
