// record_copy.h - deep copies of records, to an arena or side by side into one block. Inside of
// proto/record.
#ifndef DIORAMA_PROTO_RECORD_RECORD_COPY_H
#define DIORAMA_PROTO_RECORD_RECORD_COPY_H

#include "proto/record/record.h"

// Where a copy goes: an arena, or the rest of a block that is large enough.
struct place {
    struct arena *arena;
    char *next; // of the block, where there is no arena
};

// Copies `record` with what it points to. `schema` is its own or that of a struct that it begins
// with; what is not present becomes zero, and empty texts and lists NULL.
struct record *record_copy_to(struct place *place, const struct schema *schema,
                              const struct record *record);

// The offset behind such a copy in a block whose first `used` bytes are taken.
size_t record_measure(size_t used, const struct schema *schema, const struct record *record);

// The same of what one member points to, which is present: NULL where it is empty, or is a number
// or a bool.
const void *record_copy_member(struct place *place, const struct field *field,
                               const struct record *record);
size_t record_measure_member(size_t used, const struct field *field, const struct record *record);

#endif
