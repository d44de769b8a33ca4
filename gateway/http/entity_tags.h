// entity_tags.h - what a request makes itself depend on: If-Match and If-None-Match (RFC 9110, 13;
// decisions 1). What changes something is decided by the actor that owns the record; here the
// conditions are passed on to it, and those of reads are decided on the answer.
#ifndef DIORAMA_GATEWAY_HTTP_ENTITY_TAGS_H
#define DIORAMA_GATEWAY_HTTP_ENTITY_TAGS_H

#include "gateway/http/content_coding.h"
#include "gateway/http/http.h"
#include "proto/codec/etag.h"
#include "proto/message/message.h"

// Puts the conditions of the header into the message's params. Fails with ERR_MALFORMED where one
// is no list of entity tags.
fallible entity_tags_take(const struct http_request *request, struct message *message);

// Decides those of a read whose answer has `etag`. Fails with ERR_PRECONDITION where If-Match names
// other states only. `*ret_known` says that If-None-Match names this one, in `*ret_coding`, which
// the client takes: then it has the answer already.
fallible entity_tags_decide(const struct params *params, const struct etag *etag,
                            const struct acceptance *acceptance, bool *ret_known,
                            enum content_coding *ret_coding);

#endif
