// axes.h - requests and answers in the axes that `?convention=` names (proto/convention.h):
// what comes is converted before an actor sees it, what goes before it is written. Pure but for
// the message.
#ifndef DIORAMA_GATEWAY_REQUEST_AXES_H
#define DIORAMA_GATEWAY_REQUEST_AXES_H

#include "gateway/routes.h"
#include "proto/codec/etag.h"
#include "proto/message/message.h"
#include "proto/spatial/convention.h"

// Converts the records of a request whose params name a convention; NULL where there is nothing to
// convert. Fails with ERR_INVALID where no convention is called so.
fallible axes_take(struct message *message, const struct convention **ret_convention);

// Writes the answer as reply_write does, with its records as the client sees them. The tag is that
// of what is stored, which conditions of writes are held against, and says which convention shows
// it.
fallible axes_write(const struct convention *self, const struct route *route,
                    struct message *message, struct buffer *out, struct etag *ret_etag);

#endif
