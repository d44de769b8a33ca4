// auth.h - identifies the caller and decides whether they may use a route. The actor of an item
// decides what depends on the item; all else is decided here. Pure.
#ifndef DIORAMA_GATEWAY_REQUEST_AUTH_H
#define DIORAMA_GATEWAY_REQUEST_AUTH_H

#include "gateway/http/http.h"
#include "gateway/request/route.h"
#include "proto/message/message.h"
#include "proto/message/session.h"

// The rules for all requests.
struct auth_rules {
    bool enabled;               // auth.enabled; without it everybody may do everything
    const sessions_t *sessions; // NULL: nobody is logged in
    const char *metrics_token;  // "" = none
};

// What tells who sent a request, for who outlives it: a copy.
struct auth_token {
    char chars[SESSION_TOKEN_SIZE]; // "" = none, or none that could be of ours
    bool by_cookie;
};

// Takes the token of `Authorization: Bearer`, else that of the cookie `access_token`.
void auth_token_take(const struct http_request *request, struct auth_token *ret_token);

// Fills role, user and session of `caller`; false if nobody is logged in with that token.
bool auth_token_identify(const struct auth_token *self, const struct auth_rules *rules,
                         uint64_t calendar_us, struct caller *caller);

// Both of them. `ret_by_cookie`: the cookie identified the caller.
void auth_identify(const struct auth_rules *rules, const struct http_request *request,
                   uint64_t calendar_us, struct caller *caller, bool *ret_by_cookie);

// Checks that the caller may use the route; `user` is the path's, or NULL. Fails with
// ERR_UNAUTHENTICATED if logging in could help, with ERR_FORBIDDEN if it could not.
fallible auth_check(const struct route *route, const struct caller *caller,
                    const struct text *user);

// Checks that the caller is an operator: on loopback, an administrator, or with the metrics token
// as bearer. Fails with ERR_UNAUTHENTICATED, or with ERR_FORBIDDEN if no token could help.
fallible auth_check_operator(const struct auth_rules *rules, const struct http_request *request,
                             const struct caller *caller);

#endif
