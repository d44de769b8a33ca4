// route_catalogue.h - what the table of routes says in words and lists: noun, sentence, parameters
// and failures of each route. The page and the OpenAPI document are written from it. Pure.
#ifndef DIORAMA_GATEWAY_DOCS_ROUTE_CATALOGUE_H
#define DIORAMA_GATEWAY_DOCS_ROUTE_CATALOGUE_H

#include "gateway/request/route.h"

// What routes are about. A route belongs to the noun that comes last in its path. A noun with an
// empty sentence is another path of an earlier one.
struct noun {
    const char *name;
    const char *path; // a piece of a path
    const char *sentence;
};

extern const struct noun route_catalogue_nouns[];
extern const size_t route_catalogue_noun_count;

const struct noun *route_catalogue_noun(const struct route *route);
const char *route_catalogue_sentence(const struct route *route);

// The route that this one is an alias of: the first one in the table that is called after the same
// operation. NULL where this is that one, or has a name of its own.
const struct route *route_catalogue_alias_of(const struct route_table *routes,
                                             const struct route *route);

// Appends a name that no other route of the table has: that of its operation ("objectCreate"), of
// its row ("serverGet"), else of method and path ("getHealth"), as aliases have it too.
void route_catalogue_put_id(const struct route_table *routes, const struct route *route,
                            struct buffer *out);

// The view of the records that the route answers with, or NULL.
const struct view *route_catalogue_view(const struct route *route);

enum { ROUTE_CATALOGUE_PARAMETERS_MAX = 48 };

// One parameter of path or query string.
struct parameter {
    const struct field *field;
    const char *name; // the field's, or its other name
    bool in_path;
    bool required;
};

struct parameters {
    unsigned count;
    struct parameter items[ROUTE_CATALOGUE_PARAMETERS_MAX];
};

void route_catalogue_parameters(const struct route *route, struct parameters *ret_parameters);

// How the route answers, as bits of enum error: what its columns imply and what its row says.
uint32_t route_catalogue_errors(const struct route *route);

#endif
