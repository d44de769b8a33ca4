// params.h - fills a request's struct params from path, query string and body envelope by walking
// params_schema (decisions 1). What is read later wins: body, then query string, then path.
#ifndef DIORAMA_GATEWAY_REQUEST_PARAMS_H
#define DIORAMA_GATEWAY_REQUEST_PARAMS_H

#include "gateway/request/route.h"
#include "proto/codec/json_text.h"
#include "proto/records/params.h"

// The members of params_body_schema at the top of a body.
// Fails with ERR_MALFORMED or ERR_INVALID, the member named.
fallible params_from_body(struct arena *arena, const struct json *body, struct params *params);

// The members of params_view_query and those whose bits `takes` has; failures as those of
// query_read.
fallible params_from_query(struct arena *arena, const char *query, uint64_t takes,
                           struct params *params);

// The parameters of the path; failures as above.
fallible params_from_path(struct arena *arena, const struct route_match *match,
                          struct params *params);

// num_records, where it is absent or 0 ("as many as you like"), becomes the route's page; without
// one it is absent. `page` counts where start_record is absent. Fails with ERR_INVALID where the
// route gives fewer records at once.
fallible params_settle(struct params *params, const struct route *route);

#endif
