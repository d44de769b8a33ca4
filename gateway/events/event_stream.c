// event_stream.c - a stream of server-sent events. The worker's thread: it sleeps in poll until the
// event queue has something, the client leaves, or a deadline is due. Access is checked while the
// stream lasts: the session is looked up several times a second, and after every change of a scene
// its actor is asked before the next event is sent.
#define _GNU_SOURCE // POLLRDHUP
#include "gateway/events/event_stream.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "gateway/events/delta_form.h"
#include "gateway/events/sse.h"
#include "gateway/events/stream_access.h"
#include "gateway/events/watched_scenes.h"
#include "gateway/events/whole_form.h"
#include "gateway/http/http_answer.h"
#include "gateway/http/socket.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/feed/event_queue.h"
#include "proto/message/metrics.h"

enum {
    WRITE_BYTES = 65536, // collected for one write, beside one record
    BLIND_MS = 500,      // longest sleep if the socket, and so the client's leaving, is not known
    CONFIRM_MS =
        60 * 1000,   // between two messages to the scenes' actors that somebody still watches
    DELTA_RATE = 30, // ticks a second of the delta form
    SLOW_TICK_US = 500 * 1000, // with longer ticks, changes of a scene's access are heard too late
};

struct event_stream {
    struct stream_sink sink;
    struct event_stream_host host;
    const struct message *request;
    struct mg_connection *connection;
    struct stream_access access;
    event_queue_t *queue;
    unsigned count, left;      // all scenes; those that are not deleted
    struct sse_place *places;  // of the scenes, in the order of the request
    struct delta_form *deltas; // of the scenes too, in the delta form; else NULL
    struct message **joins;    // answers to joins that are not written yet
    bool *deleted;
    struct event_batch batch;
    uint64_t tick_us, next_tick_us; // with a rate; else 0
    uint64_t next_beat_ms, next_confirm_ms;
};

// Joins a scene. Its answer is kept until it is written.
static fallible
join(event_stream_t *self, unsigned scene)
{
    const struct sse_place *place = &self->places[scene];
    struct watching *watching = watching_create(self->queue, scene);
    watching->epoch = place->epoch;
    watching->seq = place->seq;
    return stream_access_ask(&self->access, SCENE_WATCH, place->scene, watching,
                             &self->joins[scene]);
}

// --- access ---

static bool
may_watch(const event_stream_t *self, unsigned scene)
{
    return stream_access_ask(&self->access, SCENE_WATCH, self->places[scene].scene, NULL, NULL) ==
           OK;
}

// Whether the caller may watch all scenes that are left; false if an actor does not answer.
static bool
may_watch_all(const event_stream_t *self)
{
    for (unsigned i = 0; i < self->count; i++)
        if (!self->deleted[i] && !may_watch(self, i))
            return false;
    return true;
}

// Checks access between two turns, when all events of the queue are written.
static bool
keeps_access(event_stream_t *self, uint64_t now_ms)
{
    bool is_other = false, is_due = stream_access_is_due(&self->access, now_ms);
    if (is_due && !stream_access_look(&self->access, &is_other))
        return false;
    bool hears_late = is_due && self->tick_us > SLOW_TICK_US;
    if (!is_other && !hears_late && now_ms < self->next_confirm_ms)
        return true;
    self->next_confirm_ms = now_ms + CONFIRM_MS;
    return may_watch_all(self);
}

// Checks access in the middle of a long write, when events wait in the queue.
static bool
still_may(event_stream_t *self)
{
    bool is_other;
    if (!stream_access_is_due(&self->access, clock_now_ms()))
        return true;
    return stream_access_look(&self->access, &is_other) && may_watch_all(self);
}

// --- writing ---

static bool
flush(event_stream_t *self)
{
    if (self->sink.out.size == 0)
        return true;
    bool sent = watch_enter(self->host.watch, CLIENT_DEADLINE_ANSWER) &&
                http_answer_write(self->connection, self->sink.out.data, self->sink.out.size);
    buffer_rest(&self->sink.out, 2 * WRITE_BYTES);
    return watch_enter(self->host.watch, CLIENT_DEADLINE_STREAM) && sent;
}

// Sends the buffer if it is full. A slow client may lose access meanwhile.
static bool
relieve(event_stream_t *self)
{
    if (self->sink.out.size < WRITE_BYTES)
        return true;
    return flush(self) && still_may(self);
}

static bool
relieve_sink(struct stream_sink *sink)
{
    return relieve((event_stream_t *)(void *)sink);
}

static void
note_deletion(event_stream_t *self, unsigned scene, const struct event *event)
{
    if (event->msg_type == EVENT_SCENE_DELETED && !self->deleted[scene]) {
        self->deleted[scene] = true;
        self->left--;
    }
}

static struct whole_form
whole_form_of(const event_stream_t *self)
{
    return (struct whole_form){self->places, self->count, self->host.convention};
}

static bool
write_change(event_stream_t *self, unsigned scene, const struct event *event)
{
    const struct whole_form form = whole_form_of(self);
    const uint64_t prev = self->places[scene].seq;
    self->places[scene].seq = event->seq;
    counter_add(COUNT_STREAM_EVENTS, 1);
    note_deletion(self, scene, event);
    return whole_form_write_change(&form, event, self->tick_us ? &prev : NULL, &self->access.caller,
                                   &self->sink);
}

static bool
write_missed(event_stream_t *self, unsigned scene, const struct watching *watching)
{
    sse_put_comment("resumed", &self->sink.out);
    for (uint32_t i = 0; watching->missed && i < watching->missed->count; i++)
        if (!write_change(self, scene, &watching->missed->items[i]))
            return false;
    return flush(self);
}

// Beside the devices of the scene as they are now: what the queue tells of them was before, or
// comes. Without them, where they were asked for, the client would never know those that stay; only
// of a scene that is gone the queue tells so.
static bool
write_delta_snapshot(event_stream_t *self, unsigned scene, struct reply *reply)
{
    struct delta_form *delta = &self->deltas[scene];
    struct message *answer = NULL;
    const struct records *devices = NULL;
    enum error error = OK;
    if (delta->wish.parts & DELTA_DEVICES)
        error =
            stream_access_ask(&self->access, SCENE_GET, self->places[scene].scene, NULL, &answer);
    if (error != OK && error != ERR_NOT_FOUND)
        return false;
    if (answer)
        devices = scene_of(reply_record(&answer->reply, 0))->devices;
    bool sent = delta_form_write_snapshot(delta, &self->places[scene], reply, devices, &self->sink);
    message_destroy(&answer);
    return sent;
}

static bool
write_snapshot(event_stream_t *self, unsigned scene, struct reply *reply)
{
    const struct whole_form form = whole_form_of(self);
    bool sent = self->deltas ? write_delta_snapshot(self, scene, reply)
                             : whole_form_write_snapshot(&form, scene, reply, &self->sink);
    return sent && flush(self);
}

// Writes the answer of a scene's actor to the join: its state, or the events that the client
// missed.
static bool
write_join(event_stream_t *self, unsigned scene)
{
    struct message *answer = self->joins[scene];
    const struct envelope *envelope = (const struct envelope *)(const void *)answer->reply.envelope;
    const struct watching *watching = watching_of(answer);
    bool sent;
    if (watching->resumed) {
        sent = write_missed(self, scene, watching);
    } else {
        self->places[scene].epoch = (uint64_t)envelope->epoch;
        self->places[scene].seq = (uint64_t)envelope->seq;
        sent = write_snapshot(self, scene, &answer->reply);
    }
    message_destroy(&self->joins[scene]);
    return sent;
}

static bool
has_scene_change(const struct event_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++)
        if (batch->events[i].msg_type == EVENT_SCENE_UPDATED)
            return true;
    return false;
}

// --- a turn ---

// Sends the state again, because events of the scene were dropped.
static bool
catch_up(event_stream_t *self, unsigned scene)
{
    counter_add(COUNT_STREAM_BEHIND, 1);
    sse_put_comment("behind", &self->sink.out);
    self->places[scene].epoch = 0;
    return join(self, scene) == OK && write_join(self, scene);
}

static bool
write_deltas(event_stream_t *self, unsigned scene)
{
    const struct event_batch *batch = &self->batch;
    struct sse_place *place = &self->places[scene];
    if (batch->count == 0)
        return true;
    const uint64_t prev = place->seq;
    place->seq = batch->events[batch->count - 1].seq;
    counter_add(COUNT_STREAM_EVENTS, batch->count);
    for (uint32_t i = 0; i < batch->count; i++)
        note_deletion(self, scene, &batch->events[i]);
    return delta_form_write_changes(&self->deltas[scene], batch, prev, &self->access.caller,
                                    &self->sink) &&
           relieve(self);
}

static bool
write_batch(event_stream_t *self, unsigned scene)
{
    if (self->access.asker->auth->enabled && has_scene_change(&self->batch) &&
        !may_watch(self, scene))
        return false;
    if (self->deltas)
        return write_deltas(self, scene);
    for (uint32_t i = 0; i < self->batch.count; i++)
        if (!write_change(self, scene, &self->batch.events[i]))
            return false;
    return true;
}

static bool
write_all(event_stream_t *self)
{
    bool is_open = true;
    event_queue_reset(self->queue);
    for (unsigned i = 0; is_open && i < self->count; i++) {
        bool kept_up = event_queue_take(self->queue, i, &self->batch);
        is_open = kept_up ? write_batch(self, i) : catch_up(self, i);
        event_batch_clear(&self->batch);
    }
    return is_open;
}

static bool
turn(event_stream_t *self)
{
    uint64_t now_ms = clock_now_ms(), now_us = clock_now_us();
    if (!atomic_load(self->host.ready) || !keeps_access(self, now_ms))
        return false;
    if (now_us >= self->next_tick_us) {
        if (!write_all(self))
            return false;
        if (self->sink.out.size)
            self->next_tick_us = now_us + self->tick_us;
    }
    if (now_ms >= self->next_beat_ms) {
        sse_put_comment("heartbeat", &self->sink.out);
        self->next_beat_ms = now_ms + (uint64_t)self->host.streams->heartbeat_ms;
    }
    return flush(self) && self->left > 0;
}

// --- waiting ---

static int
until(int timeout_ms, uint64_t deadline_ms)
{
    int left_ms = clock_left_ms(deadline_ms);
    return left_ms < timeout_ms ? left_ms : timeout_ms;
}

// Sleeps until there is something to do. False if the client is gone.
static bool
await(const event_stream_t *self)
{
    uint64_t now_us = clock_now_us();
    bool is_early = now_us < self->next_tick_us;
    int socket = watch_socket(self->host.watch);
    struct pollfd wanted[2] = {
        {.fd = socket, .events = POLLRDHUP},
        {.fd = is_early ? -1 : event_queue_descriptor(self->queue), .events = POLLIN},
    };
    int timeout_ms = until(socket < 0 ? BLIND_MS : CONFIRM_MS, self->next_beat_ms);
    timeout_ms = until(timeout_ms, self->next_confirm_ms);
    if (self->access.asker->auth->enabled)
        timeout_ms = until(timeout_ms, self->access.next_look_ms);
    if (is_early)
        timeout_ms = until(timeout_ms, clock_now_ms() + (self->next_tick_us - now_us + 999) / 1000);
    poll(wanted, 2, timeout_ms);
    return wanted[0].revents == 0;
}

// --- life ---

// Finds out what the client has: from the header that browsers send when they connect again, or
// from the query string, for clients that cannot send it.
static void
find_places(const struct event_stream *self)
{
    if (self->deltas)
        return; // indices die with their stream
    const char *id = http_header(self->access.asker->request, "Last-Event-ID");
    if (!id)
        id = text_chars(self->request->params->last_event);
    sse_read_id(id, self->places, self->count);
}

// Takes one of the limited places for streams.
static fallible
take_place(struct event_streams *streams)
{
    if (atomic_fetch_add(&streams->count, 1) < streams->most)
        return OK;
    atomic_fetch_sub(&streams->count, 1);
    return fail(ERR_UNAVAILABLE, "", "all %u streams of events are taken", streams->most);
}

static void
begin_deltas(event_stream_t *self, const struct params *params)
{
    const struct delta_wish wish = {.parts = delta_parts_read(params->parts),
                                    .is_exact = text_size(params->precision) > 0,
                                    .convention = self->host.convention};
    self->deltas = memory_take_zeroed(self->count * sizeof *self->deltas);
    for (unsigned i = 0; i < self->count; i++)
        self->deltas[i].wish = wish;
    if (!self->tick_us)
        self->tick_us = 1000000 / DELTA_RATE;
}

static event_stream_t *
event_stream_create(const struct event_stream_host *host, const struct message *message,
                    const struct stream_access *access, const struct sse_place *places,
                    unsigned count)
{
    event_stream_t *self = memory_take_zeroed(sizeof *self);
    self->host = *host;
    self->request = message;
    self->access = *access;
    self->count = self->left = count;
    self->places = memory_take(count * sizeof *places);
    memcpy(self->places, places, count * sizeof *places);
    self->joins = memory_take_zeroed(count * sizeof(struct message *));
    self->deleted = memory_take_zeroed(count * sizeof *self->deleted);
    if (record_has(&message->params->base, PARAMS_RATE))
        self->tick_us = 1000000 / (uint64_t)message->params->rate;
    if (params_want_delta(message->params))
        begin_deltas(self, message->params);
    self->sink.relieve = relieve_sink;
    gauge_add(GAUGE_HTTP_STREAMS, 1);
    return self;
}

static fallible
join_all(event_stream_t *self)
{
    TRY(event_queue_create(self->count, self->tick_us != 0, &self->queue));
    for (unsigned i = 0; i < self->count; i++)
        TRY(join(self, i));
    return OK;
}

fallible
event_stream_open(const struct event_stream_host *host, const struct message *message,
                  event_stream_t **ret_stream)
{
    struct sse_place places[LIMIT_WATCHED_SCENES] = {0};
    unsigned count;
    struct stream_access access = {.client = host->client, .asker = host->asker};
    TRY(watched_scenes_read(message->params, places, &count));
    TRY(asker_identify(host->asker, &access.caller));
    TRY(take_place(host->streams));
    event_stream_t *self = event_stream_create(host, message, &access, places, count);
    find_places(self);
    enum error error = join_all(self);
    if (error == OK)
        *ret_stream = self;
    else
        event_stream_close(&self);
    return error;
}

fallible
event_stream_check(const struct event_stream_host *host, const struct message *message)
{
    struct sse_place places[LIMIT_WATCHED_SCENES] = {0};
    unsigned count;
    const struct stream_access access = {.client = host->client, .asker = host->asker};
    TRY(watched_scenes_read(message->params, places, &count));
    for (unsigned i = 0; i < count; i++)
        TRY(stream_access_ask(&access, SCENE_WATCH, places[i].scene, NULL, NULL));
    return OK;
}

void
event_stream_run(event_stream_t *self, struct mg_connection *connection)
{
    uint64_t now_ms = clock_now_ms();
    self->connection = connection;
    self->next_beat_ms = now_ms + (uint64_t)self->host.streams->heartbeat_ms;
    self->access.next_look_ms = now_ms; // the joins may have taken a while
    self->next_confirm_ms = now_ms + CONFIRM_MS;
    if (!watch_enter(self->host.watch, CLIENT_DEADLINE_STREAM))
        return;
    socket_limit_buffer(watch_socket(self->host.watch));
    for (unsigned i = 0; i < self->count; i++)
        if (!write_join(self, i))
            return;
    while (turn(self) && await(self))
        ;
}

void
event_stream_close(event_stream_t **self)
{
    event_stream_t *stream = *self;
    *self = NULL;
    if (!stream)
        return;
    if (stream->queue)
        event_queue_close(stream->queue);
    event_queue_unref(&stream->queue);
    for (unsigned i = 0; i < stream->count; i++)
        message_destroy(&stream->joins[i]);
    for (unsigned i = 0; stream->deltas && i < stream->count; i++)
        delta_form_finish(&stream->deltas[i]);
    free(stream->deltas);
    free(stream->joins);
    free(stream->places);
    free(stream->deleted);
    event_batch_finish(&stream->batch);
    buffer_finish(&stream->sink.out);
    atomic_fetch_sub(&stream->host.streams->count, 1);
    gauge_add(GAUGE_HTTP_STREAMS, -1);
    free(stream);
}
