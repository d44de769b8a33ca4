// record_json_write.c - records as JSON (record_json.h). Pure; any thread.
#include "proto/codec/json_text.h"
#include "proto/codec/record_json.h"
#include "proto/record/view.h"

static void put_record(const struct record *record, const struct schema *schema,
                       const struct view *view, struct buffer *out);

static void
put_text(const struct text *text, struct buffer *out)
{
    json_put_text(out, text_bytes(text), text_size(text));
}

static void
put_bool(bool value, struct buffer *out)
{
    buffer_put_chars(out, value ? "true" : "false");
}

// Ends a list in which a comma follows each item.
static void
put_end(struct buffer *out, char bracket)
{
    if (out->data[out->size - 1] == ',')
        out->size--;
    buffer_put_char(out, bracket);
}

static void
put_numbers(const double *numbers, size_t count, struct buffer *out)
{
    buffer_put_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        json_put_number(out, numbers[i]);
        buffer_put_char(out, ',');
    }
    put_end(out, ']');
}

static void
put_texts(const struct texts *list, struct buffer *out)
{
    buffer_put_char(out, '[');
    for (size_t i = 0; i < texts_count(list); i++) {
        put_text(list->items[i], out);
        buffer_put_char(out, ',');
    }
    put_end(out, ']');
}

static void
put_item(const struct record *item, const struct view *view, struct buffer *out)
{
    if (item->present & RECORD_SCALAR)
        json_put_number(out, MEMBER_CONST(double, item, &item->schema->fields[0]));
    else
        put_record(item, item->schema, view, out);
}

static void
put_records(const struct records *list, const struct view *view, struct buffer *out)
{
    buffer_put_char(out, '[');
    for (uint32_t i = 0; list && i < list->count; i++) {
        put_item(list->items[i], view, out);
        buffer_put_char(out, ',');
    }
    put_end(out, ']');
}

static void
put_value(const struct field *field, const void *member, const struct view *view,
          struct buffer *out)
{
    switch ((enum field_type)field->type) {
    case FIELD_TEXT:
        put_text(*(const struct text *const *)member, out);
        break;
    case FIELD_BOOL:
        put_bool(*(const bool *)member, out);
        break;
    case FIELD_INTEGER:
        json_put_integer(out, *(const int64_t *)member);
        break;
    case FIELD_NUMBER:
        json_put_number(out, *(const double *)member);
        break;
    case FIELD_NUMBERS:
        put_numbers(member, field->capacity, out);
        break;
    case FIELD_TEXTS:
        put_texts(*(const struct texts *const *)member, out);
        break;
    case FIELD_RECORD:
        put_record(*(const struct record *const *)member, field->of, view, out);
        break;
    case FIELD_RECORDS:
        put_records(*(const struct records *const *)member, view, out);
        break;
    }
}

// Names of members contain nothing that needs escapes.
static void
put_alias(const char *alias, struct buffer *out)
{
    buffer_put_char(out, '"');
    buffer_put_chars(out, alias);
    buffer_put(out, "\":", 2);
}

// A comma follows each member.
static void
put_members(const struct record *record, const struct schema *schema, const struct view *view,
            struct buffer *out)
{
    struct view inside = view_inside(view);
    for (uint32_t i = 0; i < schema->count; i++) {
        const struct field *field = &schema->fields[i];
        if (!view_shows(view, field, record))
            continue;
        const void *member = view_member(field, record);
        buffer_put(out, field->label, field->label_size);
        put_value(field, member, &inside, out);
        buffer_put_char(out, ',');
        if (!field->alias || !view || !view->aliases)
            continue;
        put_alias(field->alias, out);
        put_value(field, member, &inside, out);
        buffer_put_char(out, ',');
    }
}

static void
put_record(const struct record *record, const struct schema *schema, const struct view *view,
           struct buffer *out)
{
    buffer_put_char(out, '{');
    put_members(record, schema, view, out);
    put_end(out, '}');
}

void
record_to_json(const struct record *record, const struct view *view, struct buffer *out)
{
    put_record(record, record->schema, view, out);
}

void
record_members_to_json(const struct record *record, const struct view *view, struct buffer *out)
{
    put_members(record, record->schema, view, out);
}
