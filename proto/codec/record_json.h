// record_json.h - JSON to record and back, by walking the schema.
#ifndef DIORAMA_PROTO_CODEC_RECORD_JSON_H
#define DIORAMA_PROTO_CODEC_RECORD_JSON_H

#include "proto/codec/json_text.h"
#include "proto/record/record.h"
#include "proto/record/warnings.h"

// Reads an object into a loose record and checks it (types, sizes, counts, keys, finiteness,
// ranges). `null`, `[]`, an array of nulls alone, and "" in place of a FIELD_KEY mean absent;
// unknown names are ignored; an integral number is an integer; names and aliases are equal, the
// later one wins. `pointer` is the JSON Pointer of `value` in the body ("/objects/0", "" for the
// whole body). The record borrows the texts of `value`. Fails with ERR_MALFORMED (wrong type) or
// ERR_INVALID (count, range, bad key), the member named.
fallible record_from_json(struct arena *arena, const struct schema *schema,
                          const struct json *value, const char *pointer,
                          struct record **ret_record);

// How JSON becomes records.
struct record_reader {
    struct arena *arena; // of the records
    bool keeps_texts;    // they borrow the texts of the tree, which lives as long
    bool takes_numerals; // a text that is a number is one, where a number is wanted
    bool by_columns;     // matrices are written column by column
    // Gets what is probably not meant: an unknown name, a matrix whose last row is not that of a
    // transform, a number that is not likely. NULL: nobody is told.
    struct warnings *warnings;
    // What else may stand in the object itself, beside the members of the schema; both end with
    // NULL, or are NULL.
    const struct schema *const *beside;
    const char *const *names_beside;
};

// The same, as `reader` says.
fallible record_read_json(const struct record_reader *reader, const struct schema *schema,
                          const struct json *value, const char *pointer,
                          struct record **ret_record);

// Writes an object with the fields of `view` (NULL = all that an HTTP answer may show) in the order
// of the table.
void record_to_json(const struct record *record, const struct view *view, struct buffer *out);

// The same of many records, one after another; all zero but for the view at first. Those of one
// schema that follow each other take the least.
struct record_json_writer {
    const struct view *view;
    const struct json_form *form; // of the schema of the last record
    struct view inside;           // as records inside it are shown
    uint64_t shown;               // ids of the members that are
    uint64_t absent;              // rows of those that are written where they are absent
};

void record_json_writer_put(struct record_json_writer *self, const struct record *record,
                            struct buffer *out);

enum { JSON_LEVELS = 4 }; // of records in lists of records; deeper ones are written whole

// Where the writing of a record goes on.
struct record_json_place {
    bool has_begun, is_in_list;
    uint32_t field; // the next one, or that of the list
    uint32_t item;  // of the list, the next one
};

// An object that is written part by part, as its lists are long; record and view at first.
struct record_json_part {
    const struct record *record;
    const struct view *view;
    struct record_json_place at[JSON_LEVELS];
};

// Writes on behind what `out` has, `records` of its records and those in its lists at most, 1 or
// more; true: that is all. What is written is what record_to_json writes.
bool record_json_part_put(struct record_json_part *self, uint32_t records, struct buffer *out);

// Writes the same members without the braces and with a comma after each; for envelopes.
void record_members_to_json(const struct record *record, const struct view *view,
                            struct buffer *out);

#endif
