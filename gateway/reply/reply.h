// reply.h - answers as JSON: the envelope of decisions 1, the error body of decisions 2.
// Records are written straight from the frozen ones into the worker's buffer. Pure.
#ifndef DIORAMA_GATEWAY_REPLY_REPLY_H
#define DIORAMA_GATEWAY_REPLY_REPLY_H

#include "gateway/request/route.h"
#include "proto/codec/etag.h"
#include "proto/message/message.h"

// The media type of successful answers; NULL where the form has no body or the body is not ours.
const char *reply_media_type(const struct route *route);

// Writes the body of a successful answer in the route's form; nothing where the form has none
// (files, sessions) and for probes. `ret_etag` is that of the record which the answer of a tagged
// route shows, else "". Fails with ERR_NOT_FOUND where the form is one record and there is none.
fallible reply_write(const struct route *route, const struct message *message, struct buffer *out,
                     struct etag *ret_etag);

// What an error answer is made of.
struct reply_failure {
    const struct fault *fault;
    const struct route *route;     // NULL where none was found: no array then
    const struct record *envelope; // what the actor adds (`holder`), or NULL
    const char *request_id;
};

// Writes application/problem+json (RFC 9457) that old clients read as an envelope.
void reply_write_failure(const struct reply_failure *failure, struct buffer *out);

// Writes the route's Location; nothing where it has none or no record was made.
void reply_write_location(const struct route *route, const struct message *message,
                          struct buffer *out);

#endif
