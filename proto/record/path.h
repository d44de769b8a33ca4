// path.h - where in a request body a value is: a chain on the stack, spelled out as a JSON Pointer
// (RFC 6901) only when something is wrong.
#ifndef DIORAMA_PROTO_RECORD_PATH_H
#define DIORAMA_PROTO_RECORD_PATH_H

#include <stddef.h>
#include "proto/base/error.h"

struct path {
    const struct path *up; // NULL: the root, whose `name` is a whole pointer ("/objects/0")
    const char *name;      // of a member, or NULL: an item
    size_t index;          // of an item
};

// Fails with `error` at this place; the detail is a sentence without its subject.
fallible path_fail(const struct path *self, enum error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
