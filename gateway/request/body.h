// body.h - a request's body becomes the records and the envelope members of its message
// (decisions 1). Pure but for the message that it fills.
#ifndef DIORAMA_GATEWAY_REQUEST_BODY_H
#define DIORAMA_GATEWAY_REQUEST_BODY_H

#include "gateway/request/route.h"
#include "proto/message/message.h"

// Fails with ERR_MEDIA_TYPE unless the body is plain JSON; no Content-Type means JSON.
fallible body_check_media(const struct http_request *request);

// Whether the shape has a body that must be JSON.
bool body_is_json(enum body_shape shape);
// Whether it must be there.
bool body_is_required(enum body_shape shape);

// How many records the array of a wrapped body may have.
uint32_t body_most_records(enum body_shape shape);

// Reads `size` bytes at `data`, or `query` where the query string stands for the record, as the
// route's body shape into message->params, ->records and ->array. Fails with ERR_MALFORMED (not
// JSON, wrong type), ERR_INVALID (range, count) or ERR_MISSING (no body, no array), the member
// named.
fallible body_read(const struct route *route, const char *query, const char *data, size_t size,
                   struct message *message);

#endif
