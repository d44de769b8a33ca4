// auth.h - who asks, and whether they may (decisions 12). What depends on the item that is asked
// for, its actor decides; all else is decided here, before the body is read. Pure.
#ifndef DIORAMA_GATEWAY_REQUEST_AUTH_H
#define DIORAMA_GATEWAY_REQUEST_AUTH_H

#include "gateway/http/http.h"
#include "gateway/request/route.h"
#include "proto/message/message.h"
#include "proto/message/session.h"

// What all requests are judged by.
struct auth_rules {
    bool enabled;               // else everybody may do everything
    const sessions_t *sessions; // NULL: nobody is logged in
    const char *metrics_token;  // "" = none
};

// Fills role, user and session of `caller` from the request's token: of `Authorization: Bearer`,
// else of the cookie `access_token`. `ret_by_cookie`: it is the cookie that tells who asks.
void auth_identify(const struct auth_rules *rules, const struct http_request *request,
                   uint64_t calendar_us, struct caller *caller, bool *ret_by_cookie);

// Whether the caller may take the route; `user` is the path's, or NULL. Fails with
// ERR_UNAUTHENTICATED where logging in could help, with ERR_FORBIDDEN where it could not.
fallible auth_check(const struct route *route, const struct caller *caller,
                    const struct text *user);

// For what is the operator's alone: lets a caller on loopback pass, an administrator, and who has
// the metrics token as bearer. Fails with ERR_UNAUTHENTICATED; with ERR_FORBIDDEN where there is
// nothing that could be sent.
fallible auth_check_operator(const struct auth_rules *rules, const struct http_request *request,
                             const struct caller *caller);

#endif
