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
    if (self->deltas || plan->form)
        return; // indices die with their stream, and other protocols have no ids
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
    if (params_want_czml(params))
        self->czml = memory_take_zeroed(sizeof *self->czml);
    find_places(self, plan);
    self->queue = event_queue_create(plan->bell, count, self->tick_us != 0);
    if (!plan->form)
        return;
    self->form = *plan->form;
    *plan->form = NULL;
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
    if (self->czml)
        czml_form_finish(self->czml);
    free(self->czml);
    free(self->deltas);
    if (self->form)
        self->form->operations->destroy(&self->form);
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
    case WISH_FILES:
        return czml_form_question(self->czml);
    case WISH_LINKS: {
        struct message *question = stream_access_question(ALIGNMENT_GRAPH, place->scene, NULL);
        record_set_integer(&question->params->base, PARAMS_HOPS, LIMIT_GRAPH_HOPS);
        return question;
    }
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

// Notes the files of all objects that are told of. What the client missed while the scene may have
// moved cannot be told: then it gets the state.
static void
take_czml_join(event_stream_t *self, struct message **answer)
{
    const struct reply *reply = &(*answer)->reply;
    const struct watching *watching = watching_of(*answer);
    const struct events *missed = watching->resumed ? watching->missed : NULL;
    for (uint32_t i = 0; missed && i < missed->count; i++)
        if (missed->items[i].msg_type == EVENT_SCENE_UPDATED) {
            self->places[0].epoch = 0;
            event_stream_wish(self, 0, WISH_JOIN);
            message_destroy(answer);
            return;
        }
    for (uint32_t i = 0; missed && i < missed->count; i++)
        self->is_over |= !czml_form_note(self->czml, event_record(&missed->items[i]));
    for (uint32_t i = 0; !watching->resumed && i < reply->count; i++)
        self->is_over |= !czml_form_note(self->czml, reply_record(reply, i));
    event_stream_wish(self, 0, WISH_DEVICES);
}

void
event_stream_wonder(event_stream_t *self)
{
    if (self->czml && czml_form_wonders(self->czml) && self->scenes[0].wish == WISH_NOTHING)
        event_stream_wish(self, 0, WISH_FILES);
}

static void
take_join(event_stream_t *self, unsigned scene, struct message **answer)
{
    struct watched_scene *watched = &self->scenes[scene];
    if (self->czml)
        take_czml_join(self, answer);
    if (!*answer)
        return;
    watched->join = *answer;
    *answer = NULL;
    self->joins++;
    if (self->form || (self->deltas && (self->deltas[scene].wish.parts & DELTA_DEVICES)))
        event_stream_wish(self, scene, WISH_DEVICES);
}

// Without devices, where they were asked for, the client would never know those that stay; only of
// a scene that is gone the queue tells so. A scene without links is one alone.
static bool
is_refusal(const struct message *answer)
{
    enum error error = answer->reply.fault.error;
    return error != OK && answer->operation != ALIGNMENT_GRAPH &&
           (answer->operation != SCENE_GET || error != ERR_NOT_FOUND);
}

static void
take_links(event_stream_t *self, unsigned scene, const struct message *answer)
{
    if (answer->reply.fault.error == OK && answer->reply.count)
        self->form->operations->take_links(self->form, scene, reply_record(&answer->reply, 0));
}

// The scene beside its devices: a CZML stream ends where it has no place.
static void
take_scene(event_stream_t *self, unsigned scene, struct message **answer)
{
    struct watched_scene *watched = &self->scenes[scene];
    message_destroy(&watched->devices);
    watched->devices = *answer;
    *answer = NULL;
    if (self->czml)
        self->is_over |=
            !czml_form_place(self->czml, scene_of(reply_record(&watched->devices->reply, 0)));
}

void
event_stream_take_answer(event_stream_t *self, unsigned scene, struct message **answer)
{
    self->asked--;
    if (is_refusal(*answer)) {
        self->is_over = true;
    } else if ((*answer)->operation == ASSET_BULK) {
        czml_form_learn(self->czml, &(*answer)->reply);
    } else if ((*answer)->operation == ALIGNMENT_GRAPH) {
        take_links(self, scene, *answer);
    } else if ((*answer)->operation == SCENE_GET && (*answer)->reply.fault.error == OK) {
        take_scene(self, scene, answer);
    } else if ((*answer)->parcel) {
        take_join(self, scene, answer);
    }
    message_destroy(answer);
    event_stream_wonder(self);
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
    if (self->form)
        size += self->form->operations->size(self->form);
    for (unsigned i = 0; i < self->count; i++) {
        if (self->scenes[i].join)
            size += self->scenes[i].join->reply.capacity * sizeof(const frozen_t *);
        if (self->deltas) {
            size += self->deltas[i].state.things.count * THING_BYTES;
            known += self->deltas[i].state.bytes;
        }
    }
    if (self->czml)
        size += self->czml->bytes;
    pay_for_known(self, known);
    allowance_settle(&self->limits->memory, &self->held, size);
}
