// client_address.h - the address of the client: that of the TCP peer, or the one that a trusted
// proxy names. Pure.
#ifndef DIORAMA_GATEWAY_HTTP_CLIENT_ADDRESS_H
#define DIORAMA_GATEWAY_HTTP_CLIENT_ADDRESS_H

#include "gateway/http/http.h"
#include "proto/message/message.h"

// Fills peer and loopback of `ret_caller`. If the TCP peer is one of the `proxies` (comma-separated
// addresses), the client is the rightmost address of X-Forwarded-For that is not one of them; such
// a client is never loopback.
void client_address_find(const struct http_request *request, const char *proxies,
                         struct caller *ret_caller);

// Whether the client uses TLS, as a trusted proxy says by X-Forwarded-Proto.
bool client_address_is_by_tls(const struct http_request *request, const char *proxies);

#endif
