// entity_tags.h - the conditions of a request: If-Match and If-None-Match (RFC 9110). The actor
// that owns the record decides them for writes; they are passed on to it here. Those of reads are
// decided here on the answer.
#ifndef DIORAMA_GATEWAY_HTTP_ENTITY_TAGS_H
#define DIORAMA_GATEWAY_HTTP_ENTITY_TAGS_H

#include "gateway/http/content_coding.h"
#include "gateway/http/http.h"
#include "proto/codec/etag.h"
#include "proto/message/message.h"

// Puts the conditions of the header into the message's params. Fails with ERR_MALFORMED if one is
// no list of entity tags.
fallible entity_tags_take(const struct http_request *request, struct message *message);

// Decides the conditions of a read whose answer has `etag`. Fails with ERR_PRECONDITION if If-Match
// names other states only. `*ret_known`: the client has the answer already, because If-None-Match
// names this state in `*ret_coding`, which the client accepts.
fallible entity_tags_decide(const struct params *params, const struct etag *etag,
                            const struct acceptance *acceptance, bool *ret_known,
                            enum content_coding *ret_coding);

#endif
