// catalogue_form.h - what stands in the events of a stream that tells which scenes there are: those
// that its client may read. Pure.
#ifndef DIORAMA_GATEWAY_EVENTS_CATALOGUE_FORM_H
#define DIORAMA_GATEWAY_EVENTS_CATALOGUE_FORM_H

#include "gateway/events/sse.h"
#include "gateway/events/stream_sink.h"

// Writes that the client is to list the scenes: what follows is what has changed since.
void catalogue_form_write_reset(const struct sse_place *place, struct stream_sink *sink);

// Writes an event of a scene's record, if the caller may read the scene. One that was public and is
// not any more is deleted for those who may not read it now.
void catalogue_form_write_change(const struct sse_place *place, const struct event *event,
                                 const struct caller *caller, struct stream_sink *sink);

#endif
