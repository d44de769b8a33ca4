// asker.h - who asks: the caller of a request, and what the route alone lets them do. An identity
// is true for the moment in which it is looked up. So nothing keeps a caller: actor_client looks
// them up for each question that it sends, and whoever else needs one asks here.
#ifndef DIORAMA_GATEWAY_REQUEST_ASKER_H
#define DIORAMA_GATEWAY_REQUEST_ASKER_H

#include "gateway/http/request_guard.h"
#include "gateway/request/auth.h"

// Embedded; all of it is borrowed for as long as the request lasts.
struct asker {
    const struct auth_rules *auth;
    const struct request_guard_rules *guard;
    const char *proxies; // as in client_address.h
    const struct http_request *request;
    const struct route *route;
    const struct text *user; // that the path names, or NULL
};

// Looks up who asks, whatever they may. Returns whether the cookie told it.
bool asker_see(const struct asker *self, struct caller *ret_caller);

// Looks up who asks, and checks that they may use the route from where they are. Fails with
// ERR_UNAUTHENTICATED or ERR_FORBIDDEN; then `ret_caller` is untouched.
fallible asker_identify(const struct asker *self, struct caller *ret_caller);

#endif
