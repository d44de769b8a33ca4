// record_json_write.c - records as JSON (record_json.h). Pure; any thread.

#include "proto/codec/json_text.h"
#include "proto/codec/record_json.h"
#include "proto/codec/record_json_form.h"
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
put_scalar(const struct record *item, struct buffer *out)
{
    json_put_number(out, MEMBER_CONST(double, item, &item->schema->fields[0]));
}

static void
put_records(const struct records *list, const struct view *view, struct buffer *out)
{
    struct record_json_writer writer = {.view = view};
    buffer_put_char(out, '[');
    for (uint32_t i = 0; list && i < list->count; i++) {
        const struct record *item = list->items[i];
        if (item->present & RECORD_SCALAR)
            put_scalar(item, out);
        else
            record_json_writer_put(&writer, item, out);
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

// --- members ---

// Writes the absent members of the set, all of which stand before the row, and the row's name.
static void
put_until(const struct json_form *form, uint64_t absent, unsigned row, struct buffer *out)
{
    uint32_t begin = form->rows[row].begin;
    for (; absent; absent &= absent + (absent & -absent)) { // without its first run of rows
        unsigned first = (unsigned)__builtin_ctzll(absent);
        unsigned behind = first + (unsigned)__builtin_ctzll(~(absent >> first));
        if (behind == row)
            begin = form->rows[first].begin;
        else
            json_form_put(form, form->rows[first].begin, form->rows[behind].begin, out);
    }
    json_form_put(form, begin, form->rows[row].begin + form->rows[row].label_size, out);
}

// The value behind the first name, and behind the other one if the form has it.
static void
put_values(const struct json_form *form, unsigned row, const void *member,
           const struct view *inside, struct buffer *out)
{
    const struct field *field = &form->schema->fields[row];
    const struct json_row *names = &form->rows[row];
    put_value(field, member, inside, out);
    buffer_put_char(out, ',');
    if (!names->alias_size)
        return;
    json_form_put(form, names->alias, names->alias + names->alias_size, out);
    put_value(field, member, inside, out);
    buffer_put_char(out, ',');
}

static void
put_member(const struct json_form *form, unsigned row, const struct record *record,
           const struct view *inside, struct buffer *out)
{
    put_until(form, 0, row, out);
    put_values(form, row, view_member(&form->schema->fields[row], record), inside, out);
}

static bool
is_empty_list(const struct field *field, const void *member)
{
    if (field->type == FIELD_TEXTS)
        return texts_count(*(const struct texts *const *)member) == 0;
    const struct records *list = *(const struct records *const *)member;
    return !list || list->count == 0;
}

static uint64_t
without_empty_lists(const struct json_form *form, const struct record *record, uint64_t rows)
{
    for (uint64_t left = rows & form->lists; left; left &= left - 1) {
        unsigned row = (unsigned)__builtin_ctzll(left);
        const struct field *field = &form->schema->fields[row];
        if (is_empty_list(field, record_member_const(record, field)))
            rows &= ~(UINT64_C(1) << row);
    }
    return rows;
}

static void
choose_schema(struct record_json_writer *self, const struct schema *schema)
{
    const struct view *view = self->view;
    self->inside = view_inside(view);
    self->form = json_form_of(schema, &self->inside, put_value);
    self->shown = view_chosen(view, self->form->written, self->form->ids);
    self->absent = json_form_rows(self->form, self->shown) & ~self->form->optional;
    if (view && view->sparse)
        self->absent &= ~self->form->lists;
}

// `record` has the schema that was chosen, or is NULL: nothing is present.
static void
put_members(const struct record_json_writer *self, const struct record *record, struct buffer *out)
{
    const struct json_form *form = self->form;
    uint64_t given = record ? json_form_rows(form, record->present & self->shown) : 0;
    uint64_t absent = self->absent & ~given;
    if (self->view && self->view->sparse)
        given = without_empty_lists(form, record, given);
    for (; given; given &= given - 1) {
        unsigned row = (unsigned)__builtin_ctzll(given);
        uint64_t before = (UINT64_C(1) << row) - 1;
        put_until(form, absent & before, row, out);
        absent &= ~before;
        put_values(form, row, record_member_const(record, &form->schema->fields[row]),
                   &self->inside, out);
    }
    put_until(form, absent, form->schema->count, out);
}

static void
put_chosen(const struct record_json_writer *self, const struct record *record, struct buffer *out)
{
    buffer_put_char(out, '{');
    put_members(self, record, out);
    put_end(out, '}');
}

static void
put_record(const struct record *record, const struct schema *schema, const struct view *view,
           struct buffer *out)
{
    struct record_json_writer writer = {.view = view};
    choose_schema(&writer, schema);
    put_chosen(&writer, record, out);
}

void
record_json_writer_put(struct record_json_writer *self, const struct record *record,
                       struct buffer *out)
{
    if (!self->form || self->form->schema != record->schema)
        choose_schema(self, record->schema);
    put_chosen(self, record, out);
}

void
record_to_json(const struct record *record, const struct view *view, struct buffer *out)
{
    put_record(record, record->schema, view, out);
}

void
record_members_to_json(const struct record *record, const struct view *view, struct buffer *out)
{
    struct record_json_writer writer = {.view = view};
    choose_schema(&writer, record->schema);
    put_members(&writer, record, out);
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
            put_scalar(item, out);
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
    const struct json_form *form = json_form_of(schema, &inside, put_value);
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
            put_member(form, at->field, record, &inside, out);
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
