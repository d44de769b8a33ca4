// catalogue_form.h - what stands in the events of a stream that tells which scenes there are, which
// assets, and so on (topic.h): those that its client may read. Pure.
#ifndef DIORAMA_GATEWAY_EVENTS_CATALOGUE_FORM_H
#define DIORAMA_GATEWAY_EVENTS_CATALOGUE_FORM_H

#include "gateway/events/sse.h"
#include "gateway/events/stream_sink.h"

// What such a stream follows: its places, a topic each.
struct catalogue_form {
    const struct sse_place *places;
    unsigned count;
    const struct caller *caller;
};

// Writes that the client is to list what the topic at `place` is about: what follows is what has
// changed since.
void catalogue_form_write_reset(const struct catalogue_form *self, unsigned place,
                                struct stream_sink *sink);

// Writes an event of a record, if the caller may read it. One that was public and is not any more
// is deleted for those who may not read it now.
void catalogue_form_write_change(const struct catalogue_form *self, const struct event *event,
                                 struct stream_sink *sink);

#endif
