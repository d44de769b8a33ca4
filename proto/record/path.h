// path.h - the place of a value in a request body: a chain on the stack, which is written as a JSON
// Pointer (RFC 6901) only if something is wrong.
#ifndef DIORAMA_PROTO_RECORD_PATH_H
#define DIORAMA_PROTO_RECORD_PATH_H

#include <stddef.h>

#include "proto/base/error.h"

struct path {
    const struct path *up; // NULL: the root, whose `name` is a whole pointer ("/objects/0")
    const char *name;      // of a member, or NULL: an item
    size_t index;          // of an item
};

enum { PATH_POINTER_SIZE = sizeof(((struct fault *)0)->pointer) };

// The JSON Pointer of this place. One that is too long is cut: its beginning says most.
void path_write(const struct path *self, char ret_pointer[PATH_POINTER_SIZE]);

// Fails with `error` at this place; the detail is a sentence without its subject.
fallible path_fail(const struct path *self, enum error error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
