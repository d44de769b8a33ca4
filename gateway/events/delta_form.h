// delta_form.h - the delta form of a stream of events: a snapshot that gives each thing an index,
// then one event a tick with what changed. Clients of many things that move take a tenth of the
// bytes of whole records (gateway/events/README.md, "The delta form").
#ifndef DIORAMA_GATEWAY_EVENTS_DELTA_FORM_H
#define DIORAMA_GATEWAY_EVENTS_DELTA_FORM_H

#include "gateway/events/delta_state.h"
#include "gateway/events/sse.h"
#include "gateway/events/stream_sink.h"
#include "proto/feed/event_batch.h"
#include "proto/spatial/convention.h"

// What a client asked for.
struct delta_wish {
    unsigned parts;                      // enum delta_part
    bool is_exact;                       // all digits of poses
    const struct convention *convention; // NULL: as stored
};

// A scene in a delta stream. Embedded; all zero but for `wish` is one that begins.
struct delta_form {
    struct delta_wish wish;
    struct delta_state state;
    struct stream_cursor devices; // of a snapshot that is being written
    struct delta_step *steps;     // of the events that are being written
    uint32_t capacity;
};

void delta_form_finish(struct delta_form *self);

// Writes the state of the scene at `place` from the cursor on: `entities` is the reply of a join,
// `devices` (NULL = none were asked for) are records of devices as the caller may see them. False:
// the sink is full, and more is to come.
bool delta_form_write_snapshot(struct delta_form *self, const struct sse_place *place,
                               struct reply *entities, const struct records *devices,
                               struct stream_cursor *cursor, struct stream_sink *sink);

// Writes events of the scene, in order, as one, from the cursor on; `prev` is the seq that the
// client had before. False: the sink is full, and more is to come.
bool delta_form_write_changes(struct delta_form *self, const struct event_batch *batch,
                              uint64_t prev, const struct caller *caller,
                              struct stream_cursor *cursor, struct stream_sink *sink);

#endif
