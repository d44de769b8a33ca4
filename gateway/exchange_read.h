// exchange_read.h - reads the request of an exchange: its body, and the message that it becomes.
#ifndef DIORAMA_GATEWAY_EXCHANGE_READ_H
#define DIORAMA_GATEWAY_EXCHANGE_READ_H

#include "gateway/exchange.h"
#include "proto/base/limits.h"

// Of a buffer, between two requests.
enum { EXCHANGE_KEPT_BYTES = LIMIT_HEADER_BYTES * 2 };

struct mg_connection;

// Reads the body, or the file, and makes self->message of it and of the parameters. Fails as its
// parts do; ERR_TOO_SLOW if the watchdog has cut the client.
fallible exchange_read(struct exchange *self, struct mg_connection *connection);

// Fails with ERR_UNAVAILABLE unless the server is ready.
fallible exchange_check_ready(const struct exchange *self);

// The bytes of the body are needed no longer: gives their memory back.
void exchange_drop_body(struct exchange *self);

#endif
