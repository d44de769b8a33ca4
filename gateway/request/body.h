// body.h - turns a request's body into the records and the envelope members of its message. Pure
// but for the message that it fills.
#ifndef DIORAMA_GATEWAY_REQUEST_BODY_H
#define DIORAMA_GATEWAY_REQUEST_BODY_H

#include "gateway/request/route.h"
#include "proto/message/message.h"

// Fails with ERR_MEDIA_TYPE unless the body is plain JSON; no Content-Type means JSON.
fallible body_check_media(const struct http_request *request);

// Whether bodies of the shape are JSON.
bool body_is_json(enum body_shape shape);
// Whether the shape needs a body.
bool body_is_required(enum body_shape shape);

// How many records the array of a wrapped body may have.
uint32_t body_most_records(enum body_shape shape);

// Bytes of memory that body_read takes for this body at most; 0 for one that is too small to count.
size_t body_cost(const struct route *route, const char *data, size_t size);

// Reads `size` bytes at `data`, or `query` if the query string stands for the record, into
// message->params, ->records and ->array, as the route's body shape demands. Fails with
// ERR_MALFORMED (not JSON, wrong type), ERR_INVALID (range, count) or ERR_MISSING (no body, no
// array), with a pointer to the member.
fallible body_read(const struct route *route, const char *query, const char *data, size_t size,
                   struct message *message);

// Checks that the records name nothing else than the path does, where the route says so. Fails with
// ERR_INVALID and a pointer to the key.
fallible body_check_keys(const struct route *route, struct message *message);

// Checks that nothing is warned of, where the request says `strict`. Fails with ERR_INVALID and the
// pointer of the first warning.
fallible body_check_strict(const struct message *message);

#endif
