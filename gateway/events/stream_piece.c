// stream_piece.c - the next piece in the form of the stream (stream_piece.h): the answer to a join,
// or the events of one scene after the other.
#include "gateway/events/stream_piece.h"

#include "gateway/events/catalogue_form.h"
#include "gateway/events/whole_form.h"
#include "proto/message/metrics.h"

enum { KEPT_EVENTS = 64 }; // a batch that was larger frees its memory

bool
stream_piece_is_amid(const event_stream_t *self)
{
    bool has_begun = self->cursor.part || self->cursor.next;
    return has_begun || (self->joins && self->joins < self->count);
}

static struct whole_form
whole_form_of(const event_stream_t *self)
{
    return (struct whole_form){self->places, self->count, self->convention};
}

static struct catalogue_form
catalogue_form_of(const event_stream_t *self)
{
    return (struct catalogue_form){self->places, self->count, &self->access.caller};
}

static void
note_deletion(event_stream_t *self, unsigned scene, const struct event *event)
{
    struct watched_scene *watched = &self->scenes[scene];
    if (event->msg_type != EVENT_SCENE_DELETED || watched->is_deleted)
        return;
    watched->is_deleted = true;
    self->left--;
}

// A question to the holder of a lock is no change, and not for everybody.
static void
write_ask(const event_stream_t *self, const struct event *event, struct stream_sink *sink)
{
    if (sse_may_hear(event, &self->access.caller))
        sse_put_ask(event, &sink->out);
}

static void
write_change(event_stream_t *self, unsigned scene, const struct event *event,
             struct stream_sink *sink)
{
    const struct whole_form form = whole_form_of(self);
    if (event->msg_type == EVENT_LOCK_ASKED) {
        write_ask(self, event, sink);
        return;
    }
    const uint64_t prev = self->places[scene].seq;
    self->places[scene].seq = event->seq;
    counter_add(COUNT_STREAM_EVENTS, 1);
    if (self->is_catalogue) {
        const struct catalogue_form catalogue = catalogue_form_of(self);
        catalogue_form_write_change(&catalogue, event, sink);
        return;
    }
    note_deletion(self, scene, event);
    if (self->czml) {
        czml_form_write_change(self->czml, &self->places[scene], event, sink);
        return;
    }
    whole_form_write_change(&form, event, self->tick_us ? &prev : NULL, &self->access.caller, sink);
}

// Writes the events that the client missed; false if the sink is full before the last one.
static bool
write_missed(event_stream_t *self, unsigned scene, const struct watching *watching,
             struct stream_sink *sink)
{
    if (self->cursor.part == 0) {
        sse_put_comment("resumed", &sink->out);
        self->cursor.part = 1;
    }
    for (; watching->missed && self->cursor.next < watching->missed->count; self->cursor.next++) {
        if (stream_sink_is_full(sink))
            return false;
        write_change(self, scene, &watching->missed->items[self->cursor.next], sink);
    }
    return true;
}

static bool
write_snapshot(event_stream_t *self, unsigned scene, struct stream_sink *sink)
{
    struct watched_scene *watched = &self->scenes[scene];
    struct reply *reply = &watched->join->reply;
    const struct envelope *envelope = (const struct envelope *)(const void *)reply->envelope;
    struct sse_place *place = &self->places[scene];
    place->epoch = (uint64_t)envelope->epoch;
    place->seq = (uint64_t)envelope->seq;
    if (self->is_catalogue) {
        const struct catalogue_form catalogue = catalogue_form_of(self);
        catalogue_form_write_reset(&catalogue, scene, sink);
        return true;
    }
    if (self->czml)
        return !watched->devices ||
               czml_form_write_snapshot(self->czml, place, reply,
                                        scene_of(reply_record(&watched->devices->reply, 0)),
                                        &self->cursor, sink);
    if (self->form) {
        const struct record *record =
            watched->devices ? reply_record(&watched->devices->reply, 0) : NULL;
        return self->form->operations->write_state(self->form, scene, reply, record, &self->cursor,
                                                   sink);
    }
    if (!self->deltas) {
        const struct whole_form form = whole_form_of(self);
        return whole_form_write_snapshot(&form, scene, reply, &self->cursor, sink);
    }
    // Beside the devices of the scene as they are now: what the queue tells of them was before, or
    // comes.
    const struct records *devices = NULL;
    if (watched->devices)
        devices = scene_of(reply_record(&watched->devices->reply, 0))->devices;
    return delta_form_write_snapshot(&self->deltas[scene], place, reply, devices, &self->cursor,
                                     sink);
}

// Writes the answer of a scene's actor to the join: its state, or the events that the client
// missed.
static void
write_join(event_stream_t *self, struct stream_sink *sink)
{
    unsigned scene = 0;
    while (!self->scenes[scene].join)
        scene++;
    struct watched_scene *watched = &self->scenes[scene];
    const struct watching *watching = watching_of(watched->join);
    bool is_whole = watching->resumed ? write_missed(self, scene, watching, sink)
                                      : write_snapshot(self, scene, sink);
    if (!is_whole)
        return;
    message_destroy(&watched->join);
    message_destroy(&watched->devices);
    self->joins--;
    self->cursor = (struct stream_cursor){0};
}

static bool
has_scene_change(const struct event_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++)
        if (batch->events[i].msg_type == EVENT_SCENE_UPDATED)
            return true;
    return false;
}

static bool
has_changes(const struct event_batch *batch)
{
    uint32_t i = 0;
    while (i < batch->count && batch->events[i].msg_type == EVENT_LOCK_ASKED)
        i++;
    return i < batch->count;
}

static bool
write_deltas(event_stream_t *self, unsigned scene, struct stream_sink *sink)
{
    const struct event_batch *batch = &self->batch;
    struct sse_place *place = &self->places[scene];
    if (self->cursor.part == 0) {
        self->prev = place->seq;
        place->seq = batch->events[batch->count - 1].seq;
        counter_add(COUNT_STREAM_EVENTS, batch->count);
        for (uint32_t i = 0; i < batch->count; i++)
            note_deletion(self, scene, &batch->events[i]);
    }
    if (has_changes(batch) && !delta_form_write_changes(&self->deltas[scene], batch, self->prev,
                                                        &self->access.caller, &self->cursor, sink))
        return false;
    for (uint32_t i = 0; i < batch->count; i++)
        if (batch->events[i].msg_type == EVENT_LOCK_ASKED)
            write_ask(self, &batch->events[i], sink);
    return true;
}

// The same in a form of another protocol.
static bool
write_by_form(event_stream_t *self, unsigned scene, struct stream_sink *sink)
{
    const struct event_batch *batch = &self->batch;
    if (self->cursor.part == 0 && self->cursor.next == 0) {
        self->places[scene].seq = batch->events[batch->count - 1].seq;
        counter_add(COUNT_STREAM_EVENTS, batch->count);
        for (uint32_t i = 0; i < batch->count; i++)
            note_deletion(self, scene, &batch->events[i]);
    }
    return self->form->operations->write_changes(self->form, scene, batch, &self->cursor, sink);
}

static bool
write_changes(event_stream_t *self, unsigned scene, struct stream_sink *sink)
{
    for (; self->cursor.next < self->batch.count; self->cursor.next++) {
        if (stream_sink_is_full(sink))
            return false;
        write_change(self, scene, &self->batch.events[self->cursor.next], sink);
    }
    return true;
}

// Wishes the state of the scene anew, in place of events that cannot be told.
static void
begin_anew(event_stream_t *self, unsigned scene)
{
    self->places[scene].epoch = 0;
    self->has_told = true;
    self->round++;
    event_stream_wish(self, scene, WISH_JOIN);
}

// Whether CZML can tell the events: not where the scene has moved. Notes the files that they show.
static bool
takes_as_czml(event_stream_t *self)
{
    const struct event_batch *batch = &self->batch;
    if (!czml_form_stays(self->czml, batch->events, batch->count))
        return false;
    for (uint32_t i = 0; i < batch->count; i++)
        self->is_over |= !czml_form_note(self->czml, event_record(&batch->events[i]));
    return true;
}

// Takes what waits of the scene. Where events were dropped it wishes the state anew.
static void
take_batch(event_stream_t *self, unsigned scene, struct stream_sink *sink)
{
    if (!event_queue_take(self->queue, scene, &self->batch)) {
        counter_add(COUNT_STREAM_BEHIND, 1);
        if (!self->form)
            sse_put_comment("behind", &sink->out);
        begin_anew(self, scene);
    } else if (self->czml && !takes_as_czml(self)) {
        event_batch_rest(&self->batch, KEPT_EVENTS);
        begin_anew(self, scene);
    } else if (self->batch.count == 0) {
        self->round++;
    } else {
        self->has_batch = self->has_told = true;
        if (self->access.rules->enabled && !self->is_catalogue && has_scene_change(&self->batch))
            event_stream_wish(self, scene, WISH_ACCESS);
        event_stream_wonder(self);
    }
}

static void
write_batch(event_stream_t *self, struct stream_sink *sink)
{
    unsigned scene = self->round;
    bool is_whole = self->form     ? write_by_form(self, scene, sink)
                    : self->deltas ? write_deltas(self, scene, sink)
                                   : write_changes(self, scene, sink);
    if (!is_whole)
        return;
    event_batch_rest(&self->batch, KEPT_EVENTS);
    self->cursor = (struct stream_cursor){0};
    self->has_batch = false;
    self->round++;
}

static void
begin_round(event_stream_t *self)
{
    self->is_rung = self->has_told = false;
    self->round = 0;
}

bool
stream_piece_write(event_stream_t *self, struct stream_sink *sink, uint64_t now_us)
{
    if (self->is_samples)
        return server_samples_write(&self->samples, &self->access.caller, now_us, sink);
    if (self->form && self->form->operations->write_own(self->form, sink))
        return true;
    if (self->joins)
        write_join(self, sink);
    else if (self->has_batch)
        write_batch(self, sink);
    else if (self->round < self->count)
        take_batch(self, self->round, sink);
    else if (self->is_rung && now_us >= self->next_tick_us)
        begin_round(self);
    else
        return false;
    if (self->round == self->count && self->has_told) {
        self->has_told = false;
        self->next_tick_us = now_us + self->tick_us;
    }
    return true;
}
