// whole_form.h - the usual form of a stream of events: the state of a scene, then each change with
// the whole record that it made.
#ifndef DIORAMA_GATEWAY_EVENTS_WHOLE_FORM_H
#define DIORAMA_GATEWAY_EVENTS_WHOLE_FORM_H

#include "gateway/events/sse.h"
#include "gateway/events/stream_sink.h"
#include "proto/spatial/convention.h"

// Where a stream is: the ids of its events name all of its scenes.
struct whole_form {
    const struct sse_place *places;
    unsigned count;
    const struct convention *convention; // NULL: records are shown as they are stored
};

// Writes the state of a scene, the reply of a join, from the cursor on. False: the sink is full,
// and more is to come.
bool whole_form_write_snapshot(const struct whole_form *self, unsigned scene,
                               struct reply *entities, struct stream_cursor *cursor,
                               struct stream_sink *sink);

// Writes one change. `prev` is the seq that the client had before; NULL if it gets every event.
void whole_form_write_change(const struct whole_form *self, const struct event *event,
                             const uint64_t *prev, const struct caller *caller,
                             struct stream_sink *sink);

#endif
