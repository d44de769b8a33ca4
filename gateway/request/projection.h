// projection.h - which members of its records a list shows: `fields` of the query string. Pure.
#ifndef DIORAMA_GATEWAY_REQUEST_PROJECTION_H
#define DIORAMA_GATEWAY_REQUEST_PROJECTION_H

#include "proto/base/error.h"
#include "proto/record/schema.h"
#include "proto/records/params.h"

// Narrows the view to the members that `fields` names, and the key; no `fields`: it stays. Fails
// with ERR_INVALID at /fields where a name is none of the view's.
fallible projection_apply(const struct params *params, struct view *view);

#endif
