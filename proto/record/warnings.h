// warnings.h - what was taken although it is probably not what was meant: a member that nobody
// knows or that the request cannot change, a place outside the map. Whoever sent it is told.
#ifndef DIORAMA_PROTO_RECORD_WARNINGS_H
#define DIORAMA_PROTO_RECORD_WARNINGS_H

#include <stdint.h>

#include "proto/base/text.h"
#include "proto/record/path.h"

enum { WARNINGS_MOST = 16 }; // further ones are left out

// A sentence without its subject, and where it belongs (a JSON Pointer). Both are UTF-8.
struct warning {
    struct warning *next;
    const struct text *pointer, *detail;
};

// Embedded; all zero has none. They are in the order of the request.
struct warnings {
    uint32_t count;
    struct warning *first, *last;
};

// Adds one, which lives in the arena, unless there are enough or it is there already: an actor may
// run a request several times.
void warnings_add(struct warnings *self, struct arena *arena, const struct path *path,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
