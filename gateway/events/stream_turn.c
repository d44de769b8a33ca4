// stream_turn.c - what a stream does next (stream_turn.h). Access is checked while the stream
// lasts: the session is looked up several times a second, and after every change of a scene its
// actor is asked before the next event is sent. While a question is under way nothing is written.
#include "gateway/events/stream_turn.h"

#include "gateway/events/catalogue_form.h"
#include "gateway/events/whole_form.h"
#include "proto/base/clock.h"
#include "proto/message/lease.h"
#include "proto/message/metrics.h"

enum {
    CONFIRM_MS =
        60 * 1000, // between two messages to the scenes' actors that somebody still watches
    SLOW_TICK_US = 500 * 1000, // with longer ticks, changes of a scene's access are heard too late
    LATE_LOOK_MS = 1000,       // between two looks at a client that does not read
    KEPT_EVENTS = 64,          // a batch that was larger frees its memory
};

void
stream_turn_begin(event_stream_t *self, uint64_t now_ms)
{
    self->next_beat_ms = now_ms + (self->form ? STREAM_FORM_BEAT_MS : self->limits->heartbeat_ms);
    self->access.next_look_ms = now_ms; // the joins may have taken a while
    self->next_confirm_ms = now_ms + CONFIRM_MS;
    self->is_rung = !self->is_samples; // its queue stays empty
}

// --- the form ---

enum {
    READ_BYTES = 4096,
    READS_MOST = 16,       // of a client, in a turn
    SLOW_CLIENT_MS = 1000, // that it has been behind, without a pause
};

// Gives the form what its client has sent; false if the client is gone.
static bool
hear(event_stream_t *self, uint64_t now_ms)
{
    char data[READ_BYTES];
    if (!self->has_input)
        return true;
    self->has_input = false; // where more is left, epoll tells so again
    for (unsigned i = 0; i < READS_MOST; i++) {
        ssize_t got = stream_client_receive(&self->client, data, sizeof data);
        if (got <= 0)
            return got == 0;
        self->form->operations->hear(self->form, data, (size_t)got, now_ms);
    }
    return true;
}

// Wishes what the form wants, while no answer is being written.
static void
wish_for_form(event_stream_t *self, uint64_t now_ms)
{
    if (!self->form || self->joins || self->has_batch || now_ms < self->next_wish_ms)
        return;
    unsigned links = 0;
    for (unsigned i = 0; i < self->count && links < STREAM_FORM_LINKS; i++) {
        if (self->scenes[i].is_deleted || self->scenes[i].wish != WISH_NOTHING)
            continue;
        enum stream_wish wish = self->form->operations->wish(self->form, i);
        if (wish == WISH_NOTHING)
            continue;
        if (wish == WISH_JOIN)
            self->places[i].epoch = 0;
        links += wish == WISH_LINKS;
        event_stream_wish(self, i, wish);
        self->next_wish_ms = now_ms + STREAM_FORM_WISH_MS;
    }
}

// Tells the form that its client lets ticks pass, of which only the newest states will be told.
// That it has not taken a large state at once is no sign of that.
static void
note_slow(event_stream_t *self, uint64_t now_us)
{
    const struct stream_client *client = &self->client;
    bool has_news = self->is_rung && now_us > self->next_tick_us;
    if (self->form && has_news && stream_client_is_behind(client) &&
        now_us / 1000 - client->since_ms >= SLOW_CLIENT_MS)
        self->form->operations->note_slow(self->form, now_us / 1000);
}

// --- access ---

// Whether the stream is in the middle of something, while changes of access may wait in the queue.
static bool
is_amid(const event_stream_t *self)
{
    bool has_begun = self->cursor.part || self->cursor.next;
    return has_begun || (self->joins && self->joins < self->count);
}

static void
join_anew(event_stream_t *self)
{
    for (unsigned i = 0; i < self->count; i++) {
        self->places[i].epoch = 0;
        event_stream_wish(self, i, WISH_JOIN);
    }
}

// Looks up the session where that is due; false if it has ended.
static bool
keeps_session(event_stream_t *self, uint64_t now_ms)
{
    bool is_other;
    if (!stream_access_is_due(&self->access, now_ms))
        return true;
    if (!stream_access_look(&self->access, &is_other))
        return false;
    if (is_other && self->is_catalogue) // they may read other things now
        join_anew(self);
    if (is_other || is_amid(self) || self->tick_us > SLOW_TICK_US)
        self->must_confirm = true;
    return true;
}

// Wishes that all actors say again that the caller may watch.
static void
confirm(event_stream_t *self, uint64_t now_ms)
{
    if (!self->must_confirm && now_ms < self->next_confirm_ms)
        return;
    self->must_confirm = false;
    self->next_confirm_ms = now_ms + CONFIRM_MS;
    for (unsigned i = 0; i < self->count; i++)
        if (!self->scenes[i].is_deleted && self->scenes[i].wish == WISH_NOTHING)
            event_stream_wish(self, i, WISH_ACCESS);
}

// Asks what the stream wishes; false if the desk has no room.
static bool
ask_wishes(event_stream_t *self, struct stream_desk *desk, uint64_t now_ms)
{
    for (unsigned i = 0; self->wishes && i < self->count; i++) {
        if (self->scenes[i].wish == WISH_NOTHING)
            continue;
        struct message *question = event_stream_question(self, i);
        bool is_signed = stream_access_sign(&self->access, question) == OK;
        bool is_sent = is_signed && desk->ask(desk, self, i, &question);
        message_destroy(&question);
        self->is_over |= !is_signed;
        if (!is_sent)
            return !is_signed;
        event_stream_note_asked(self, i);
        self->answer_by_ms = now_ms + desk->deadline_ms;
    }
    return true;
}

// --- writing ---

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

// Writes the next piece; false if there is nothing to write now.
static bool
write_piece(event_stream_t *self, struct stream_sink *sink, uint64_t now_us)
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

static void
beat(event_stream_t *self, struct stream_sink *sink, uint64_t now_ms)
{
    if (now_ms < self->next_beat_ms || is_amid(self))
        return;
    if (self->form)
        self->form->operations->beat(self->form, now_ms, sink);
    else
        sse_put_comment("heartbeat", &sink->out);
    self->next_beat_ms = now_ms + (self->form ? STREAM_FORM_BEAT_MS : self->limits->heartbeat_ms);
}

// Fills the sink, and sends it; false if the client is gone. `*ret_more`: there is more to write.
static bool
write(event_stream_t *self, struct stream_sink *sink, uint64_t now_us, bool *ret_more)
{
    *ret_more = true;
    while (*ret_more && !self->wishes && !stream_sink_is_full(sink))
        *ret_more = write_piece(self, sink, now_us);
    beat(self, sink, now_us / 1000);
    bool is_there = sink->out.size == 0 || stream_client_send(&self->client, sink->out.data,
                                                              sink->out.size, now_us / 1000);
    buffer_rest(&sink->out, 2 * STREAM_WRITE_BYTES);
    return is_there;
}

// --- the end of a server that is cut off ---

// Streams of the server's own samples stay: they tell of this state. No words go into the middle of
// a message, nor to a client that has not taken what came before.
static enum stream_outcome
leave(event_stream_t *self, struct stream_sink *sink)
{
    if (self->form && !stream_client_is_behind(&self->client))
        self->form->operations->leave(self->form, LEASE_BLIND_WORDS, sink);
    else if (!is_amid(self) && !stream_client_is_behind(&self->client))
        sse_put_comment(LEASE_BLIND_WORDS, &sink->out);
    if (sink->out.size)
        (void)stream_client_send(&self->client, sink->out.data, sink->out.size, clock_now_ms());
    buffer_rest(&sink->out, 2 * STREAM_WRITE_BYTES);
    counter_add(COUNT_LEASE_ENDED, 1);
    return STREAM_ENDS;
}

// --- a turn ---

// Whether the stream has been told all that there is of its scenes.
static bool
has_ended(const event_stream_t *self)
{
    return self->left == 0 && !self->is_samples && !self->has_batch && !self->joins &&
           self->round == self->count;
}

// What follows where the client has taken everything and no answer is awaited.
static enum stream_outcome
turn_on(event_stream_t *self, struct stream_desk *desk, uint64_t now_us)
{
    bool has_more;
    if (has_ended(self))
        return STREAM_ENDS;
    confirm(self, now_us / 1000);
    wish_for_form(self, now_us / 1000);
    if (!self->wishes) {
        if (!write(self, &desk->sink, now_us, &has_more))
            return STREAM_ENDS;
        if (self->form && self->form->operations->is_over(self->form))
            return STREAM_ENDS;
        if (!self->wishes)
            return stream_client_is_behind(&self->client) ? STREAM_WAITS
                   : has_more || has_ended(self)          ? STREAM_GOES_ON
                                                          : STREAM_WAITS;
    }
    return ask_wishes(self, desk, now_us / 1000) ? STREAM_WAITS : STREAM_ASKS;
}

enum stream_outcome
stream_turn(event_stream_t *self, struct stream_desk *desk)
{
    uint64_t now_us = clock_now_us(), now_ms = now_us / 1000;
    note_slow(self, now_us);
    if (self->is_over || !hear(self, now_ms) || !stream_client_go_on(&self->client) ||
        !keeps_session(self, now_ms))
        return STREAM_ENDS;
    if (!self->is_samples && lease_is_blind())
        return leave(self, &desk->sink);
    if (stream_client_is_behind(&self->client)) {
        if (!stream_client_is_late(&self->client, now_ms))
            return STREAM_WAITS;
        counter_add(COUNT_HTTP_CUT_LATE, 1);
        return STREAM_BREAKS;
    }
    if (self->asked)
        return now_ms < self->answer_by_ms ? STREAM_WAITS : STREAM_ENDS;
    enum stream_outcome outcome = turn_on(self, desk, now_us);
    event_stream_settle(self);
    return self->is_over ? STREAM_ENDS : outcome;
}

static uint64_t
earlier(uint64_t one, uint64_t other)
{
    return one < other ? one : other;
}

uint64_t
stream_turn_due_us(const event_stream_t *self)
{
    uint64_t due_ms = UINT64_MAX / 1000;
    if (self->access.rules->enabled)
        due_ms = self->access.next_look_ms;
    if (stream_client_is_behind(&self->client))
        return earlier(due_ms, clock_now_ms() + LATE_LOOK_MS) * 1000;
    if (self->asked)
        return earlier(due_ms, self->answer_by_ms) * 1000;
    due_ms = earlier(due_ms, earlier(self->next_beat_ms, self->next_confirm_ms));
    if (self->form && self->next_wish_ms > clock_now_ms())
        due_ms = earlier(due_ms, self->next_wish_ms);
    if (self->is_samples)
        return earlier(due_ms * 1000, self->samples.next_us);
    return self->is_rung ? earlier(due_ms * 1000, self->next_tick_us) : due_ms * 1000;
}
