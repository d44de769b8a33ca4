// shapes.h - the records that requests bring and answers show, each once: a description of the
// interface lists them. Pure.
#ifndef DIORAMA_GATEWAY_DOCS_SHAPES_H
#define DIORAMA_GATEWAY_DOCS_SHAPES_H

#include "gateway/request/route.h"

enum { SHAPES_MAX = 128 };

// A record as requests bring it, or as a view shows it.
struct shape {
    const struct schema *schema;
    bool is_request;
    struct view view;
};

struct shapes {
    unsigned count;
    struct shape items[SHAPES_MAX];
};

// The shapes of all routes, and the records nested in them; yours to free.
struct shapes *shapes_collect(const struct route_table *routes);

#endif
