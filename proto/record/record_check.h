// record_check.h - says what is wrong with the values of a record, whatever codec read them.
#ifndef DIORAMA_PROTO_RECORD_RECORD_CHECK_H
#define DIORAMA_PROTO_RECORD_RECORD_CHECK_H

#include "proto/record/path.h"
#include "proto/record/record.h"

// Checks the present members, nested ones too: numbers finite and in range, texts and lists within
// their limits, keys well-formed. Fails with ERR_INVALID, or ERR_MALFORMED for bad UTF-8; the
// fault's pointer is `pointer` + the member's path.
fallible record_check(const struct record *record, const char *pointer);

// Checks the count of a list alone, before a codec takes memory for the list.
fallible record_check_count(const struct field *field, size_t count, const struct path *path);

#endif
