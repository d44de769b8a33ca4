// reply_axes.h - answers in the axes that the client asked for by `?convention=`
// (proto/spatial/convention.h). Pure but for the message.
#ifndef DIORAMA_GATEWAY_REPLY_REPLY_AXES_H
#define DIORAMA_GATEWAY_REPLY_REPLY_AXES_H

#include "gateway/request/route.h"
#include "proto/codec/etag.h"
#include "proto/message/message.h"
#include "proto/spatial/convention.h"

// Writes the answer as reply_write does, with its records in the axes of `self` (NULL: as stored).
// The tag is that of the stored record, because conditions of writes are compared with it, and
// names the convention, and whether
// there are GeoPoses (with a print of the answer, as they change with the scene's place too).
fallible reply_axes_write(const struct convention *self, const struct route *route,
                          struct message *message, struct buffer *out, struct etag *ret_etag);

#endif
