// record_json_form.h - the JSON of a record that has none of its members, made once for each
// schema: most of an answer is that, so the writer copies it. Inside of proto/codec.
#ifndef DIORAMA_PROTO_CODEC_RECORD_JSON_FORM_H
#define DIORAMA_PROTO_CODEC_RECORD_JSON_FORM_H

#include "proto/base/buffer.h"
#include "proto/record/schema.h"

enum {
    JSON_ROWS_MOST = 63, // ids end at 62
    JSON_STEP = 16,      // bytes that are copied at once
};

// A member that is absent: name and value, then the same under its alias, a comma behind each.
struct json_row {
    uint32_t begin;      // in the text
    uint32_t alias;      // in the text, of the second name
    uint16_t label_size; // of the name, as field.label
    uint16_t alias_size; // the same of the second name; 0: it is not written
};

// Never changes, and is kept. Its rows are those of the table; a set of rows has the bit 1 << row
// of each.
struct json_form {
    const struct schema *schema;
    unsigned variant;                         // what of a view decides about the text
    uint64_t ids;                             // of all members
    uint64_t written;                         // of those that views may show that reveal nothing
    uint64_t optional;                        // rows that are written only where they are present
    uint64_t lists;                           // rows
    uint8_t row_of[JSON_ROWS_MOST];           // by id
    struct json_row rows[JSON_ROWS_MOST + 1]; // one more begins at the end, and has no name
    char *text;                               // of all rows; a step more may be read
};

// Writes the value of a member, all zero where it is absent, as `view` shows what is inside it.
typedef void json_value_writer(const struct field *field, const void *member,
                               const struct view *view, struct buffer *out);

// The form of the schema, which lives as long as the process. `inside` says how views show records
// inside others (view_inside).
const struct json_form *json_form_of(const struct schema *schema, const struct view *inside,
                                     json_value_writer *put_value);

// The rows of members by their ids, all of which the schema has.
static inline uint64_t
json_form_rows(const struct json_form *self, uint64_t ids)
{
    uint64_t rows = 0;
    for (; ids; ids &= ids - 1)
        rows |= UINT64_C(1) << self->row_of[__builtin_ctzll(ids)];
    return rows;
}

// Copies a part of the text.
static inline void
json_form_put(const struct json_form *self, uint32_t from, uint32_t to, struct buffer *out)
{
    size_t size = to - from;
    if (out->capacity - out->size < size + JSON_STEP)
        buffer_reserve(out, size + JSON_STEP);
    for (size_t done = 0; done < size; done += JSON_STEP)
        memcpy(out->data + out->size + done, self->text + from + done, JSON_STEP);
    out->size += size;
}

#endif
