// watched_scenes.h - the scenes that a stream of events follows. Pure.
#ifndef DIORAMA_GATEWAY_EVENTS_WATCHED_SCENES_H
#define DIORAMA_GATEWAY_EVENTS_WATCHED_SCENES_H

#include "gateway/events/sse.h"
#include "proto/base/limits.h"
#include "proto/records/params.h"

// Reads the scenes that a request names, each once, into `ret_places`, which is all zero before and
// borrows from the request; of a request for the catalogue each topic is a place. Fails with
// ERR_MISSING if there is none, with ERR_INVALID if the keys are so long that no header could carry
// the id of an event, or what is said of a catalogue does not fit one.
fallible watched_scenes_read(const struct params *params,
                             struct sse_place ret_places[LIMIT_WATCHED_SCENES],
                             unsigned *ret_count);

// Whether the request is for the catalogue: which scenes there are, which assets, and so on.
static inline bool
watches_catalogue(const struct params *params)
{
    return record_has(&params->base, PARAMS_TOPICS);
}

#endif
