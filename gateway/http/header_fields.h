// header_fields.h - the table of header fields that clients send and read: the description of the
// interface and what scripts of other origins may use (CORS) are made from it.
#ifndef DIORAMA_GATEWAY_HTTP_HEADER_FIELDS_H
#define DIORAMA_GATEWAY_HTTP_HEADER_FIELDS_H

#include <stdbool.h>

#include "proto/base/buffer.h"

enum header_id {
    HEADER_REQUEST_ID,
    HEADER_TAG,
    HEADER_LOCATION,
    HEADER_REPLAYED,
    HEADER_WARNINGS,
    HEADER_RETRY_AFTER,
    HEADER_CHALLENGE,
    HEADER_AUTHORIZATION,
    HEADER_COOKIE,
    HEADER_IDEMPOTENCY_KEY,
    HEADER_FENCE,
    HEADER_CONTENT_TYPE,
    HEADER_IF_MATCH,
    HEADER_IF_NONE_MATCH,
    HEADER_LAST_EVENT,
    HEADER_RANGE,
    HEADER_IF_RANGE,
    HEADER_CONTENT_RANGE,
    HEADER_COUNT
};

struct header_field {
    const char *name;
    bool is_sent;          // scripts of other origins may send it
    bool is_read;          // they may read it
    const char *component; // what the description of answers calls it; NULL: it is in none
    const char *type;      // its JSON type there
    const char *about;
};

extern const struct header_field header_fields[HEADER_COUNT];

// Appends the names of those that may be sent, or read: "ETag, Location".
void header_fields_put_names(struct buffer *out, bool sent);

#endif
