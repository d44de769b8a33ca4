// params.h - fills a request's struct params from body envelope, query string and path by walking
// params_schema. They are read in this order, and the last one wins.
#ifndef DIORAMA_GATEWAY_REQUEST_PARAMS_H
#define DIORAMA_GATEWAY_REQUEST_PARAMS_H

#include "gateway/request/route.h"
#include "proto/codec/record_json.h"
#include "proto/records/params.h"

// The members of params_body_schema at the top of a body. If the body is the record itself
// (`is_bare`), whoever reads the record warns of unknown members; else `reader` is used for that
// too. Fails with ERR_MALFORMED or ERR_INVALID, the member named.
fallible params_from_body(const struct record_reader *reader, bool is_bare, const struct json *body,
                          struct params *params);

// The parameters that the query string of a route may have: those of all (params_view_query) and
// those of the row. Where the query string is a record, a name that both have is the record's.
uint64_t params_of_query(const struct route *route);

// The members whose bits `takes` has. Fails as query_read does.
fallible params_from_query(struct arena *arena, const char *query, uint64_t takes,
                           struct params *params);

// Refuses a parameter of the query string that an exact route (route.h) does not name. Fails with
// ERR_MALFORMED, the parameter as pointer.
fallible params_check_names(struct arena *arena, const char *query, const struct route *route);

// The parameters of the path. Fails as params_from_body does.
fallible params_from_path(struct arena *arena, const struct route_match *match,
                          struct params *params);

// The fence that a header names. Fails with ERR_MALFORMED.
fallible params_from_header(const struct http_request *request, struct params *params);

// Completes the parameters of pages: num_records that is absent or 0 becomes the page of the route
// (absent without one); `page` counts if start_record is absent; the id of a feature becomes the
// keys that it is made of. Fails with ERR_INVALID if num_records is more than the route allows,
// with ERR_NOT_FOUND if no feature can have the id.
fallible params_settle(struct arena *arena, struct params *params, const struct route *route);

#endif
