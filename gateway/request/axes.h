// axes.h - the records of a request in the axes that `?convention=` names
// (proto/spatial/convention.h): they are converted before an actor sees them. reply/reply_axes.h
// converts the answer. Pure but for the message.
#ifndef DIORAMA_GATEWAY_REQUEST_AXES_H
#define DIORAMA_GATEWAY_REQUEST_AXES_H

#include "proto/message/message.h"
#include "proto/spatial/convention.h"

// Converts the records of a request whose params name a convention; NULL if nothing is to be
// converted. Fails with ERR_INVALID if no convention has that name.
fallible axes_take(struct message *message, const struct convention **ret_convention);

#endif
