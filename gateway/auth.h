// auth.h - who may ask for what is the operator's alone (decisions 12). Pure.
#ifndef DIORAMA_GATEWAY_AUTH_H
#define DIORAMA_GATEWAY_AUTH_H

#include "gateway/http.h"
#include "proto/message.h"

// Lets a caller on loopback pass, and who has `token` ("" = nobody) as bearer. Fails with
// ERR_UNAUTHENTICATED; with ERR_FORBIDDEN where there is no token that could be sent.
fallible auth_check_operator(const struct http_request *request, const struct caller *caller,
                             const char *token);

#endif
