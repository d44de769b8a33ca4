// client_address.h - who asks: the TCP peer, or whom a trusted proxy names (decisions 1). Pure.
#ifndef DIORAMA_GATEWAY_HTTP_CLIENT_ADDRESS_H
#define DIORAMA_GATEWAY_HTTP_CLIENT_ADDRESS_H

#include "gateway/http/http.h"
#include "proto/message/message.h"

// Behind one of the `proxies` (comma-separated addresses) the peer is the rightmost address of
// X-Forwarded-For that is none of them; such a peer is never loopback.
void client_address_find(const struct http_request *request, const char *proxies,
                         struct caller *ret_caller);

// Whether the peer came by TLS, as a trusted proxy says by X-Forwarded-Proto.
bool client_address_is_by_tls(const struct http_request *request, const char *proxies);

#endif
