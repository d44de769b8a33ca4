// router.h - from method and path to a row of the table of routes. Pure.
#ifndef DIORAMA_GATEWAY_ROUTER_H
#define DIORAMA_GATEWAY_ROUTER_H

#include "gateway/request/route.h"
#include "proto/base/arena.h"
#include "proto/base/error.h"

// Finds the rows of `path`, as sent, and its parameters. A trailing slash makes no difference;
// texts are in the arena. Fails with ERR_NOT_FOUND, or ERR_MALFORMED on a bad percent-encoding.
fallible router_find(struct arena *arena, const char *path, struct route_match *ret_match);

// Picks the row of a method; HEAD takes that of GET. Fails with ERR_METHOD.
fallible router_pick(const struct route_match *match, enum http_method method,
                     const struct route **ret_route);

// Writes the methods of the rows, "GET, HEAD, OPTIONS"; `ret_allow` has HTTP_ALLOW_SIZE bytes.
void router_allow(const struct route_match *match, char *ret_allow);

#endif
