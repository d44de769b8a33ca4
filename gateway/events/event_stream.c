// event_stream.c - makes and ends streams, and takes the answers of scene actors (event_stream.h).
#include "gateway/events/event_stream.h"

#include <stdlib.h>
#include <string.h>

#include "gateway/events/watched_scenes.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/message/metrics.h"

enum {
    STREAM_BYTES = 16 << 10, // counted for each: its parts, its queue, its place elsewhere
    THING_BYTES = 96,        // of a thing that a delta client knows
    DELTA_RATE = 30,         // ticks a second of the delta form
};

// --- beginning ---

static void
begin_deltas(event_stream_t *self, const struct params *params)
{
    const struct delta_wish wish = {.parts = delta_parts_read(params->parts),
                                    .is_exact = text_size(params->precision) > 0,
                                    .convention = self->convention};
    self->deltas = memory_take_zeroed(self->count * sizeof *self->deltas);
    for (unsigned i = 0; i < self->count; i++)
        self->deltas[i].wish = wish;
    if (!self->tick_us)
        self->tick_us = 1000000 / DELTA_RATE;
}

static void
copy_places(event_stream_t *self, const struct sse_place *places, unsigned count)
{
    self->count = self->left = self->round = count;
    self->places = memory_take(count * sizeof *places);
    self->scenes = memory_take_zeroed(count * sizeof *self->scenes);
    for (unsigned i = 0; i < count; i++) {
        self->places[i] = places[i];
        self->places[i].scene = text_copy(&self->arena, places[i].scene);
        event_stream_wish(self, i, WISH_JOIN);
    }
}

// Finds out what the client has: from the header that browsers send when they connect again, or
// from the query string, for clients that cannot send it.
static void
find_places(const event_stream_t *self, const struct event_stream_plan *plan)
{
    if (self->deltas)
        return; // indices die with their stream
    const char *id = http_header(plan->asker->request, "Last-Event-ID");
    if (!id)
        id = text_chars(plan->request->params->last_event);
    sse_read_id(id, self->places, self->count);
}

static fallible
take_place(event_stream_t *self, struct stream_limits *limits)
{
    if (!allowance_take(&limits->descriptors, 1))
        return fail(ERR_UNAVAILABLE, "", "all %zu streams of events are taken",
                    limits->descriptors.most);
    self->limits = limits;
    if (!allowance_take(&limits->memory, STREAM_BYTES))
        return fail(ERR_UNAVAILABLE, "", "the memory of streams of events is used up");
    self->held = STREAM_BYTES;
    return OK;
}

static void
leave_place(event_stream_t *self)
{
    if (!self->limits)
        return;
    allowance_settle(&self->limits->memory, &self->held, 0);
    allowance_give(&self->limits->descriptors, 1);
}

// What does not fail any more.
static void
begin(event_stream_t *self, const struct event_stream_plan *plan, const struct sse_place *places,
      unsigned count)
{
    const struct params *params = plan->request->params;
    self->convention = plan->convention;
    self->loop = plan->loop;
    self->is_catalogue = watches_catalogue(params);
    copy_places(self, places, count);
    if (record_has(&params->base, PARAMS_RATE))
        self->tick_us = 1000000 / (uint64_t)params->rate;
    if (params_want_delta(params))
        begin_deltas(self, params);
    find_places(self, plan);
    self->queue = event_queue_create(plan->bell, count, self->tick_us != 0);
}

// The same of a stream that tells of the server.
static void
begin_samples(event_stream_t *self, const struct event_stream_plan *plan,
              const struct server_samples *samples)
{
    self->loop = plan->loop;
    self->is_samples = true;
    self->samples = *samples;
    self->queue = event_queue_create(plan->bell, 0, false);
}

fallible
event_stream_create(const struct event_stream_plan *plan, event_stream_t **ret_stream)
{
    struct sse_place places[LIMIT_WATCHED_SCENES] = {0};
    struct server_samples samples;
    unsigned count = 0;
    bool is_samples = streams_samples(plan->asker->route);
    if (is_samples)
        TRY(server_samples_begin(&samples, plan->request->params, plan->facts));
    else
        TRY(watched_scenes_read(plan->request->params, places, &count));
    event_stream_t *self = memory_take_zeroed(sizeof *self);
    self->client.socket = -1;
    gauge_add(GAUGE_HTTP_STREAMS, 1);
    enum error error = stream_access_begin(&self->access, plan->asker);
    if (error == OK)
        error = take_place(self, plan->limits);
    if (error == OK)
        error = stream_client_take(&self->client, plan->socket);
    if (error != OK) {
        event_stream_destroy(&self);
        return error;
    }
    if (is_samples)
        begin_samples(self, plan, &samples);
    else
        begin(self, plan, places, count);
    *ret_stream = self;
    return OK;
}

// --- the end ---

static void
finish_scenes(event_stream_t *self)
{
    for (unsigned i = 0; i < self->count; i++) {
        message_destroy(&self->scenes[i].join);
        message_destroy(&self->scenes[i].devices);
        if (self->deltas)
            delta_form_finish(&self->deltas[i]);
    }
    free(self->deltas);
    free(self->scenes);
    free(self->places);
}

void
event_stream_destroy(event_stream_t **self)
{
    event_stream_t *stream = *self;
    *self = NULL;
    if (!stream)
        return;
    if (stream->queue)
        event_queue_close(stream->queue);
    event_queue_unref(&stream->queue);
    finish_scenes(stream);
    event_batch_finish(&stream->batch);
    stream_client_finish(&stream->client);
    budget_hold_end(&stream->known);
    budget_hold_end(&stream->budget);
    leave_place(stream);
    arena_finish(&stream->arena);
    gauge_add(GAUGE_HTTP_STREAMS, -1);
    free(stream);
}

// --- asking ---

struct message *
event_stream_question(const event_stream_t *self, unsigned scene)
{
    const struct sse_place *place = &self->places[scene];
    enum operation watch = self->is_catalogue ? CATALOGUE_WATCH : SCENE_WATCH;
    switch (self->scenes[scene].wish) {
    case WISH_JOIN: {
        struct watching *watching = watching_create(self->queue, scene);
        watching->epoch = place->epoch;
        watching->seq = place->seq;
        return stream_access_question(watch, place->scene, watching);
    }
    case WISH_DEVICES:
        return stream_access_question(SCENE_GET, place->scene, NULL);
    default:
        return stream_access_question(watch, place->scene, NULL);
    }
}

void
event_stream_note_asked(event_stream_t *self, unsigned scene)
{
    self->scenes[scene].wish = WISH_NOTHING;
    self->wishes--;
    self->asked++;
}

static void
take_join(event_stream_t *self, unsigned scene, struct message **answer)
{
    struct watched_scene *watched = &self->scenes[scene];
    watched->join = *answer;
    *answer = NULL;
    self->joins++;
    if (self->deltas && (self->deltas[scene].wish.parts & DELTA_DEVICES))
        event_stream_wish(self, scene, WISH_DEVICES);
}

// Without devices, where they were asked for, the client would never know those that stay; only of
// a scene that is gone the queue tells so.
static bool
is_refusal(const struct message *answer)
{
    enum error error = answer->reply.fault.error;
    return error != OK && (answer->operation != SCENE_GET || error != ERR_NOT_FOUND);
}

void
event_stream_take_answer(event_stream_t *self, unsigned scene, struct message **answer)
{
    self->asked--;
    if (is_refusal(*answer)) {
        self->is_over = true;
    } else if ((*answer)->operation == SCENE_GET && (*answer)->reply.fault.error == OK) {
        self->scenes[scene].devices = *answer;
        *answer = NULL;
    } else if ((*answer)->parcel) {
        take_join(self, scene, answer);
    }
    message_destroy(answer);
}

// --- what it holds ---

// A delta stream keeps the records that its client knows, also those of a scene that has left
// memory since: each time that it comes back there is another copy. So they count for who streams.
// One that would keep too much ends.
static void
pay_for_known(event_stream_t *self, size_t bytes)
{
    struct budget_hold *known = &self->known;
    int64_t more = (int64_t)bytes - known->amount;
    if (!known->book && self->budget.book && more > 0)
        error_ignore(
            budget_hold_take(known, self->budget.book, BUDGET_STREAM_BYTES, self->budget.payer, 0),
            "what is used up is told by the next line");
    if (more <= 0)
        budget_hold_settle(known, (int64_t)bytes);
    else if (self->budget.book && (!known->book || budget_hold_more(known, more) != OK))
        self->is_over = true;
}

void
event_stream_settle(event_stream_t *self)
{
    size_t known = 0;
    size_t size =
        STREAM_BYTES + self->client.left.capacity + self->batch.capacity * sizeof(struct event);
    for (unsigned i = 0; i < self->count; i++) {
        if (self->scenes[i].join)
            size += self->scenes[i].join->reply.capacity * sizeof(const frozen_t *);
        if (self->deltas) {
            size += self->deltas[i].state.things.count * THING_BYTES;
            known += self->deltas[i].state.bytes;
        }
    }
    pay_for_known(self, known);
    allowance_settle(&self->limits->memory, &self->held, size);
}
