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
put_json(const struct text *json, struct buffer *out)
{
    if (text_size(json))
        buffer_put(out, text_bytes(json), text_size(json));
    else
        buffer_put_chars(out, "null");
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
        if (field->flags & FIELD_JSON)
            put_json(*(const struct text *const *)member, out);
        else
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
put_member(const struct record *record, const struct field *field, const struct view *view,
           const struct view *inside, struct buffer *out)
{
    const void *member = view_member(field, record);
    buffer_put(out, field->label, field->label_size);
    put_value(field, member, inside, out);
    buffer_put_char(out, ',');
    if (!field->alias || !view || !view->aliases)
        return;
    put_alias(field->alias, out);
    put_value(field, member, inside, out);
    buffer_put_char(out, ',');
}

static bool
is_empty_list(const struct field *field, const struct record *record)
{
    const void *member = view_member(field, record);
    if (field->type == FIELD_TEXTS)
        return texts_count(*(const struct texts *const *)member) == 0;
    const struct records *list =
        field->type == FIELD_RECORDS ? *(const struct records *const *)member : NULL;
    return field->type == FIELD_RECORDS && (!list || list->count == 0);
}

static void
put_members(const struct record *record, const struct schema *schema, const struct view *view,
            struct buffer *out)
{
    struct view inside = view_inside(view);
    bool is_sparse = view && view->sparse;
    for (uint32_t i = 0; i < schema->count; i++)
        if (view_shows(view, &schema->fields[i], record) &&
            !(is_sparse && is_empty_list(&schema->fields[i], record)))
            put_member(record, &schema->fields[i], view, &inside, out);
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

// --- part by part ---

static bool put_record_part(struct record_json_part *self, unsigned level,
                            const struct record *record, const struct view *view, uint32_t *records,
                            struct buffer *out);

// The list that the part stands in, at a level; true: its end is written.
static bool
put_list_part(struct record_json_part *self, unsigned level, const struct field *field,
              const struct records *list, const struct view *view, uint32_t *records,
              struct buffer *out)
{
    struct record_json_place *at = &self->at[level];
    if (!at->is_in_list) {
        buffer_put(out, field->label, field->label_size);
        buffer_put_char(out, '[');
        at->is_in_list = true;
    }
    for (; list && at->item < list->count; at->item++) {
        const struct record *item = list->items[at->item];
        if (item->present & RECORD_SCALAR)
            put_item(item, view, out);
        else if (!put_record_part(self, level + 1, item, view, records, out))
            return false;
        buffer_put_char(out, ',');
    }
    put_end(out, ']');
    buffer_put_char(out, ',');
    at->item = 0;
    at->is_in_list = false;
    return true;
}

static bool
put_record_part(struct record_json_part *self, unsigned level, const struct record *record,
                const struct view *view, uint32_t *records, struct buffer *out)
{
    struct record_json_place *at = &self->at[level];
    const struct schema *schema = record->schema;
    struct view inside = view_inside(view);
    if (!at->has_begun && (*records)-- == 0) {
        *records = 0;
        return false;
    }
    if (!at->has_begun)
        buffer_put_char(out, '{');
    at->has_begun = true;
    for (; at->field < schema->count; at->field++) {
        const struct field *field = &schema->fields[at->field];
        bool is_parted = field->type == FIELD_RECORDS && !field->alias && level + 1 < JSON_LEVELS;
        if (!view_shows(view, field, record))
            continue;
        if (!is_parted)
            put_member(record, field, view, &inside, out);
        else if (!put_list_part(self, level, field,
                                *(const struct records *const *)view_member(field, record), &inside,
                                records, out))
            return false;
    }
    put_end(out, '}');
    *at = (struct record_json_place){0};
    return true;
}

bool
record_json_part_put(struct record_json_part *self, uint32_t records, struct buffer *out)
{
    return put_record_part(self, 0, self->record, self->view, &records, out);
}
