// oracle.h - what jansson makes of a JSON text: a second opinion on json_text. Apart from the tests
// because both have a JSON_OBJECT.
#ifndef DIORAMA_TESTS_SUPPORT_ORACLE_H
#define DIORAMA_TESTS_SUPPORT_ORACLE_H

#include <stdbool.h>

#include "proto/base/buffer.h"

enum oracle_verdict {
    ORACLE_ACCEPTS,
    ORACLE_REFUSES,
    ORACLE_REFUSES_LARGE_INTEGER, // beyond int64: a limit of jansson
    ORACLE_REFUSES_NUL_IN_NAME,   // a limit of jansson
};

// Appends the tree in one plain form: `n t f`, `i<decimal>`, `d<bits in hex>`, `s<size>:<bytes>`,
// `[…]`, `{<name><value>…}` with members in document order. `ret_depth` = nested containers.
enum oracle_verdict oracle_read(const char *data, size_t size, struct buffer *ret_form,
                                size_t *ret_depth);

// The pieces of that form, for the other side.
void oracle_put_number(struct buffer *form, double value);
void oracle_put_text(struct buffer *form, const char *data, size_t size);

#endif
