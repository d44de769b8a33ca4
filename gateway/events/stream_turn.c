// stream_turn.c - what a stream does next (stream_turn.h). Access is checked while the stream
// lasts: the session is looked up several times a second, and after every change of a scene its
// actor is asked before the next event is sent. While a question is under way nothing is written.
#include "gateway/events/stream_turn.h"

#include "gateway/events/stream_piece.h"
#include "proto/base/clock.h"
#include "proto/message/lease.h"
#include "proto/message/metrics.h"

enum {
    CONFIRM_MS =
        60 * 1000, // between two messages to the scenes' actors that somebody still watches
    SLOW_TICK_US = 500 * 1000, // with longer ticks, changes of a scene's access are heard too late
    LATE_LOOK_MS = 1000,       // between two looks at a client that does not read
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
    if (is_other || stream_piece_is_amid(self) || self->tick_us > SLOW_TICK_US)
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

static void
beat(event_stream_t *self, struct stream_sink *sink, uint64_t now_ms)
{
    if (now_ms < self->next_beat_ms || stream_piece_is_amid(self))
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
        *ret_more = stream_piece_write(self, sink, now_us);
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
    else if (!stream_piece_is_amid(self) && !stream_client_is_behind(&self->client))
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
