// list_kind.h - by what records can be listed: for each kind of record, which of its members stands
// for its name, type, tags and so on. Filters, orders and searches know no more of a kind than its
// row.
#ifndef DIORAMA_PROTO_RECORDS_LIST_KIND_H
#define DIORAMA_PROTO_RECORDS_LIST_KIND_H

#include "proto/record/record.h"

// What a list can be ordered by, and what a filter can name. The last two are of filters alone.
enum list_order {
    LIST_KEY,
    LIST_NAME,
    LIST_TYPE,
    LIST_PARENT,
    LIST_CREATED,
    LIST_CHANGED,
    LIST_TAG,  // each of its tags
    LIST_WORD, // each word of its name, its tags and its type (words.h)
    LIST_ORDER_COUNT
};

enum { LIST_NO_MEMBER = 64 }; // no member has this id

struct list_kind {
    const char *noun; // "scene"
    const struct schema *schema;
    uint8_t members[LIST_ORDER_COUNT]; // id of the member plus 1; 0 = it has none
    // Where on the map a record lies, in degrees; false: nowhere. NULL: no record of it does.
    bool (*place)(const struct record *record, double *ret_latitude, double *ret_longitude);
};

// Rows end with one without a noun.
extern const struct list_kind list_kinds[];

// The row of a schema, or of one whose struct begins like it; NULL where it cannot be listed.
const struct list_kind *list_kind_of(const struct schema *schema);

// The id of the member, or LIST_NO_MEMBER. Every kind has a key, and words.
unsigned list_kind_member(const struct list_kind *self, enum list_order order);

// Its row in the table of the record; NULL where there is none.
const struct field *list_kind_field(const struct list_kind *self, enum list_order order);

// "name", "created": what `sort` and filters call it.
const char *list_order_name(enum list_order order);

// What sorts the record by a member (NULL = none), at most LIST_VALUE_BYTES, as bytes: times are
// written so that later ones compare as larger. Returns its size, 0 where it is absent. Not of tags
// and words, which are several.
enum { LIST_VALUE_BYTES = 96 };
size_t list_value(const struct field *field, const struct record *record,
                  char ret_value[LIST_VALUE_BYTES]);
// A time in that form, 8 bytes.
void list_value_of_time(int64_t time_us, char ret_value[8]);

// Less than, equal to or greater than 0, as the values do.
int list_value_compare(const char *a, size_t a_size, const char *b, size_t b_size);

#endif
