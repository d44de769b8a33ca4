// reply.h - writes answers as JSON: the envelope of records, the body of an error.
// Frozen records are written directly into the worker's buffer. Pure.
#ifndef DIORAMA_GATEWAY_REPLY_REPLY_H
#define DIORAMA_GATEWAY_REPLY_REPLY_H

#include "gateway/request/route.h"
#include "proto/codec/etag.h"
#include "proto/message/message.h"

// The media type of successful answers; NULL if the form has no body or the asset has its own type.
const char *reply_media_type(const struct route *route);

// Whether the answer to a request with these parameters is a page of a list.
bool reply_is_page(const struct route *route, const struct params *params);

// Writes the body of a successful answer in the route's form; nothing for files, sessions, streams
// and probes. `ret_etag` is that of the record that a tagged route shows, else "". Fails with
// ERR_NOT_FOUND if the form is one record and there is none.
fallible reply_write(const struct route *route, const struct message *message, struct buffer *out,
                     struct etag *ret_etag);

// What an error answer is made of.
struct reply_failure {
    const struct fault *fault;
    const struct route *route;     // NULL if none was found: the body has no array then
    const struct record *envelope; // members that the actor adds (`holder`), or NULL
    const char *request_id;
};

// Writes application/problem+json (RFC 9457) that old clients read as an envelope.
void reply_write_failure(const struct reply_failure *failure, struct buffer *out);

// Writes the route's Location; nothing if it has none or no record was made.
void reply_write_location(const struct route *route, const struct message *message,
                          struct buffer *out);

#endif
