// route_catalogue.h - what the table of routes says, in words and lists: noun, sentence, parameters
// and failures of each route. Both descriptions of the interface are written from it. Pure.
#ifndef DIORAMA_GATEWAY_DOCS_ROUTE_CATALOGUE_H
#define DIORAMA_GATEWAY_DOCS_ROUTE_CATALOGUE_H

#include "gateway/routes.h"

// What routes are about. A route belongs to the noun that comes last in its path; one without a
// sentence of its own is another place of an earlier one.
struct noun {
    const char *name;
    const char *path; // a piece of a path
    const char *sentence;
};

extern const struct noun catalogue_nouns[];
extern const size_t catalogue_noun_count;

const struct noun *catalogue_noun(const struct route *route);
const char *catalogue_sentence(const struct route *route);

// Appends a name that no other route has: "objectCreate", "align2", "getHealth".
void catalogue_put_id(const struct route *route, struct buffer *out);

// The operation's row, or NULL.
const struct operation_row *catalogue_operation(const struct route *route);

// The view of the records that the route answers with, or NULL.
const struct view *catalogue_view(const struct route *route);

enum { CATALOGUE_PARAMETERS_MAX = 48 };

// One parameter of path or query string.
struct parameter {
    const struct field *field;
    const char *name; // the field's, or its other name
    bool in_path;
    bool required;
};

struct parameters {
    unsigned count;
    struct parameter items[CATALOGUE_PARAMETERS_MAX];
};

void catalogue_parameters(const struct route *route, struct parameters *ret_parameters);

// How the route answers, as bits of enum error: what its columns imply and what its row says.
uint32_t catalogue_errors(const struct route *route);

#endif
