// samples.h - records for tests of what walks field tables: one schema with a row of every type and
// flag, and random records of any schema.
#ifndef DIORAMA_TESTS_SUPPORT_SAMPLES_H
#define DIORAMA_TESTS_SUPPORT_SAMPLES_H

#include "proto/record/record.h"

// A member that is a plain number or this record (as property values will be).
struct sample_value {
    struct record base;
    double value;
    const struct text *left_type;
};

enum sample_value_field { SAMPLE_VALUE = 0, SAMPLE_LEFT_TYPE = 1 };

struct sample {
    struct record base;
    const struct text *key;
    const struct text *name;
    const struct text *secret;
    const struct text *server_made;
    const struct text *fixed;
    const struct text *request_only;
    bool open;
    int64_t count;
    int64_t stamp;
    double ratio;
    double corner[2];
    const struct texts *words;
    const struct record *value;
    const struct records *values;
    int64_t id_number;
    const struct text *id_text;
    const struct text *internal;
    const struct text *address;
};

enum sample_field {
    SAMPLE_KEY = 0,          // FIELD_KEY, FIELD_FILTER
    SAMPLE_NAME = 1,         // at most 8 bytes; alias "title"; FIELD_FILTER
    SAMPLE_SECRET = 2,       // FIELD_SECRET
    SAMPLE_SERVER_MADE = 3,  // FIELD_DERIVED
    SAMPLE_FIXED = 4,        // FIELD_FIXED
    SAMPLE_REQUEST_ONLY = 5, // FIELD_INPUT
    SAMPLE_OPEN = 6,
    SAMPLE_COUNT = 7, // 1 to 9; FIELD_FILTER
    SAMPLE_STAMP = 8, // FIELD_OPTIONAL, FIELD_FILTER
    SAMPLE_RATIO = 9, // -1 to 1
    SAMPLE_CORNER = 10,
    SAMPLE_WORDS = 11, // at most 3; FIELD_FILTER
    SAMPLE_NESTED = 12,
    SAMPLE_VALUES = 13,  // at most 4, may be plain numbers
    SAMPLE_ID_TEXT = 14, // named "id", as is the next
    SAMPLE_ID_NUMBER = 15,
    SAMPLE_INTERNAL = 16, // FIELD_HIDDEN
    SAMPLE_ADDRESS = 62,  // FIELD_PRIVATE; the largest id there can be
};

extern const struct schema sample_value_schema;
extern const struct schema sample_schema;

// The sample's schema and every schema of proto/records.
extern const struct schema *const all_schemas[];
enum { ALL_SCHEMAS = 26 };

// Deterministic: the same seed gives the same records on every machine.
struct random {
    uint64_t state;
};

uint64_t random_next(struct random *self);

// A number from 0 to `end` - 1.
uint64_t random_below(struct random *self, uint64_t end);

// Any finite double: every exponent, and often a small whole number.
double random_number(struct random *self);

// Valid UTF-8 of at most `size` bytes, with quotes, backslashes and control characters in it.
const struct text *random_text(struct random *self, struct arena *arena, size_t size);

// A loose record that passes record_check, with about two thirds of its members; those with one of
// the flags `without` are absent.
struct record *random_record(struct random *self, struct arena *arena, const struct schema *schema,
                             unsigned without);

#endif
