// list_cursor.h - the place behind a page of a list, as a text that a client sends back. It checks
// itself, and that it belongs to the list that is asked for. Pure.
#ifndef DIORAMA_PROTO_MESSAGE_LIST_CURSOR_H
#define DIORAMA_PROTO_MESSAGE_LIST_CURSOR_H

#include "proto/base/error.h"
#include "proto/base/text.h"
#include "proto/records/list_kind.h"

// Where a record stands: by value, then by key.
struct list_place {
    uint8_t size;
    char value[LIST_VALUE_BYTES];
    const struct text *key;
};

enum { LIST_PRINT_BYTES = 16 };

// Which list: a hash of everything that decides what is in it, and in which order.
struct list_print {
    unsigned char bytes[LIST_PRINT_BYTES];
};

// `total` is -1 for more than can be counted.
const struct text *list_cursor_write(struct arena *arena, const struct list_print *print,
                                     const struct list_place *place, int64_t total);

// The place is in the arena. Fails with ERR_INVALID at /after where it is none of this list's.
fallible list_cursor_read(struct arena *arena, const struct list_print *print,
                          const struct text *cursor, struct list_place *ret_place,
                          int64_t *ret_total);

#endif
