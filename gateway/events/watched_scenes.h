// watched_scenes.h - which scenes a stream of events follows. Pure.
#ifndef DIORAMA_GATEWAY_EVENTS_WATCHED_SCENES_H
#define DIORAMA_GATEWAY_EVENTS_WATCHED_SCENES_H

#include "gateway/events/sse.h"
#include "proto/base/limits.h"
#include "proto/records/params.h"

// The scenes that a request names, each once; nothing of them is known yet. `ret_places` is all
// zero and borrows from the request. Fails with ERR_MISSING where there is none, with ERR_INVALID
// where their keys are so long that no header could bring an event's id back.
fallible watched_scenes_read(const struct params *params,
                             struct sse_place ret_places[LIMIT_WATCHED_SCENES],
                             unsigned *ret_count);

#endif
