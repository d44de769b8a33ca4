// idempotency.h - the Idempotency-Key of a request: what it is called in its actor, which keeps the
// answer, and the print by which a repeat is known.
#ifndef DIORAMA_GATEWAY_REQUEST_IDEMPOTENCY_H
#define DIORAMA_GATEWAY_REQUEST_IDEMPOTENCY_H

#include "gateway/http/http.h"
#include "gateway/request/route.h"
#include "proto/message/message.h"

// Whether a request with this route has a key, good or bad.
bool idempotency_is_asked(const struct http_request *request, const struct route *route);

// Takes the key of a request whose route keeps answers; without one the message stays as it is.
// `body` is what was sent, or what stands for it (the hash of a file). Fails with ERR_INVALID if
// the key is empty, longer than LIMIT_IDEMPOTENCY_KEY_BYTES, not printable ASCII, or there twice.
fallible idempotency_take(const struct http_request *request, const struct route *route,
                          const void *body, size_t size, struct message *message);

// What part `index` of a request that goes to several scenes is known by: KEY_SEED_SIZE bytes that
// follow from the secret seed of the request (as many), in the arena.
const struct text *idempotency_part(struct arena *arena, const unsigned char *seed, uint32_t index);

#endif
