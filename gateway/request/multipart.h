// multipart.h - reads multipart/form-data piece by piece (RFC 7578, RFC 2046 5.1). Pure: bytes in,
// parts out, in memory that does not grow with them. civetweb's own reader of forms is not used,
// because it does not tell the media type of a part.
#ifndef DIORAMA_GATEWAY_REQUEST_MULTIPART_H
#define DIORAMA_GATEWAY_REQUEST_MULTIPART_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/base/arena.h"
#include "proto/base/error.h"
#include "proto/base/text.h"

enum {
    MULTIPART_BOUNDARY_BYTES = 70, // RFC 2046
    MULTIPART_ROOM_BYTES = 64 * 1024,
};

// The header of a part; texts of the arena, NULL if absent.
struct multipart_part {
    const struct text *name;
    const struct text *filename; // as sent, with its folders
    const struct text *media_type;
};

// Takes the parts. A failure of a function ends the reading.
struct multipart_sink {
    enum error (*begin)(void *context, const struct multipart_part *part);
    enum error (*data)(void *context, const char *data, size_t size);
    enum error (*end)(void *context);
};

enum multipart_state {
    MULTIPART_PREAMBLE,
    MULTIPART_DELIMITED, // the bytes after a delimiter tell if there is another part
    MULTIPART_HEADER,
    MULTIPART_EMPTY, // the header has ended; is there a body?
    MULTIPART_BODY,
    MULTIPART_EPILOGUE,
};

// Embedded. All memory is the arena's.
struct multipart {
    const struct multipart_sink *sink;
    void *context;
    struct arena *arena;
    enum multipart_state state;
    char delimiter[4 + MULTIPART_BOUNDARY_BYTES]; // CR LF -- boundary
    size_t delimiter_size;
    char *bytes; // read and not yet given out
    size_t size, capacity;
    unsigned parts;
};

// Fails with ERR_MEDIA_TYPE unless the media type (NULL = none) is multipart/form-data, with
// ERR_MALFORMED if it has no boundary.
fallible multipart_init(struct multipart *self, const char *media_type,
                        const struct multipart_sink *sink, void *context, struct arena *arena);

// Returns the place for the next bytes: *ret_size, at least MULTIPART_ROOM_BYTES.
char *multipart_room(struct multipart *self, size_t *ret_size);

// Takes the `size` bytes that were put there. Fails with ERR_MALFORMED, ERR_TOO_LARGE (header of a
// part, number of parts), or as the sink does.
fallible multipart_take(struct multipart *self, size_t size);

// Call it after the last byte. Fails with ERR_MALFORMED if the last part did not end.
fallible multipart_end(const struct multipart *self);

#endif
