// params.h - fills a request's struct params from path, query string and body envelope by walking
// params_schema (decisions 1). What is read later wins: body, then query string, then path.
#ifndef DIORAMA_GATEWAY_PARAMS_H
#define DIORAMA_GATEWAY_PARAMS_H

#include "gateway/router.h"
#include "proto/json_text.h"
#include "proto/records/params.h"

// The members of params_body_schema at the top of a body.
// Fails with ERR_MALFORMED or ERR_INVALID, the member named.
fallible params_from_body(struct arena *arena, const struct json *body, struct params *params);

// The same and `device` (alias `owner`) from `a=1&b=2`. An empty value is absent. Failures have
// no pointer: their detail names the parameter.
fallible params_from_query(struct arena *arena, const char *query, struct params *params);

// The parameters of the path; failures as above.
fallible params_from_place(struct arena *arena, const struct place *place, struct params *params);

// num_records, where it is absent or 0 ("as many as you like"), becomes `page`; with `page` 0 it is
// absent.
void params_settle(struct params *params, unsigned page);

#endif
