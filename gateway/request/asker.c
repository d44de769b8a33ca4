// asker.c - looks up the caller of a request, as often as somebody needs them. Any worker thread.
#include "gateway/request/asker.h"

#include "gateway/http/client_address.h"
#include "proto/base/clock.h"

// Whether the page that sent the request, if one did, may do so.
static fallible
check_origin(const struct asker *self, bool by_cookie)
{
    const struct route *route = self->route;
    if (!route_changes(route))
        return OK;
    TRY(request_guard_check_origin(self->request, self->guard));
    if (!by_cookie || !self->auth->enabled || route_access(route) == ACCESS_OPEN)
        return OK;
    return request_guard_check_own_origin(self->request, self->guard);
}

bool
asker_see(const struct asker *self, struct caller *ret_caller)
{
    bool by_cookie;
    *ret_caller = (struct caller){0};
    client_address_find(self->request, self->proxies, ret_caller);
    auth_identify(self->auth, self->request, clock_calendar_us(), ret_caller, &by_cookie);
    return by_cookie;
}

fallible
asker_identify(const struct asker *self, struct caller *ret_caller)
{
    struct caller caller;
    bool by_cookie = asker_see(self, &caller);
    TRY(check_origin(self, by_cookie));
    if (self->route->for_operators)
        TRY(auth_check_operator(self->auth, self->request, &caller));
    else
        TRY(auth_check(self->route, &caller, self->user));
    *ret_caller = caller;
    return OK;
}
