// router.h - from method and path to a row of the route table and the path's parameters. Pure.
#ifndef DIORAMA_GATEWAY_ROUTER_H
#define DIORAMA_GATEWAY_ROUTER_H

#include "gateway/routes.h"
#include "proto/base/arena.h"
#include "proto/base/text.h"

enum { ROUTER_PARAMS_MAX = 4 };

// Where a path leads: the rows that have it, and what stands in place of their parameters.
struct place {
    const struct route *rows; // `row_count` of them, one a method
    unsigned row_count;
    unsigned param_count;
    struct {
        const struct text *name;
        const struct text *value; // percent-decoded
    } params[ROUTER_PARAMS_MAX];
};

// Finds the rows of `path`, as sent; a trailing slash makes no difference; texts are in the arena.
// Fails with ERR_NOT_FOUND, or ERR_MALFORMED on a bad percent-encoding.
fallible router_find(struct arena *arena, const char *path, struct place *ret_place);

// Picks the row of a method; HEAD takes that of GET. Fails with ERR_METHOD.
fallible router_pick(const struct place *place, enum http_method method,
                     const struct route **ret_route);

// Writes the methods of a place, "GET, HEAD, OPTIONS"; `ret_allow` has HTTP_ALLOW_SIZE bytes.
void router_allow(const struct place *place, char *ret_allow);

#endif
