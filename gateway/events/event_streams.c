// event_streams.c - opens streams and hands them over (event_streams.h). A worker keeps nothing of
// a stream, and the stream nothing of its worker: the socket changes hands by a copy, and in the
// worker's place stands a socket that is connected to nobody, which civetweb ends and closes.
#include "gateway/events/event_streams.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "gateway/events/stream_loop.h"
#include "gateway/events/watched_scenes.h"
#include "gateway/http/socket.h"
#include "proto/base/limits.h"
#include "proto/base/memory.h"
#include "proto/base/owned.h"

enum {
    LOOPS_MOST = 4,
    PROCESSORS_A_LOOP = 2,
    LEAST_PART = 4, // of all descriptors, that streams may have in any case
};

struct event_streams {
    struct stream_limits limits;
    int stand_in; // a socket that is connected to nobody
    unsigned count;
    _Atomic unsigned turn; // which loop gets the next stream
    stream_loop_t *loops[LOOPS_MOST];
};

static size_t
most_descriptors(size_t kept_back)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return SIZE_MAX / 2;
    size_t all = (size_t)limit.rlim_cur, least = all / LEAST_PART;
    return all > kept_back && all - kept_back > least ? all - kept_back : least;
}

static unsigned
loops_wanted(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    long wanted = processors / PROCESSORS_A_LOOP;
    return wanted < 1 ? 1 : wanted > LOOPS_MOST ? LOOPS_MOST : (unsigned)wanted;
}

static fallible
start(event_streams_t *self, const struct event_streams_settings *settings)
{
    self->stand_in = socket_make_stand_in();
    if (self->stand_in < 0)
        return fail(ERR_UNAVAILABLE, "", "the system has no socket for streams of events");
    for (unsigned wanted = loops_wanted(); self->count < wanted; self->count++)
        TRY(stream_loop_create(&self->limits.memory, settings->shards, settings->deadline_ms,
                               &self->loops[self->count]));
    return OK;
}

fallible
event_streams_create(const struct event_streams_settings *settings, event_streams_t **ret_streams)
{
    event_streams_t *self = memory_take_zeroed(sizeof *self);
    self->limits.memory.most = settings->memory;
    self->limits.descriptors.most = most_descriptors(settings->kept_back);
    self->limits.heartbeat_ms = (uint64_t)settings->heartbeat_ms;
    enum error error = start(self, settings);
    if (error == OK)
        *ret_streams = self;
    else
        event_streams_destroy(&self);
    return error;
}

void
event_streams_stop(event_streams_t *self)
{
    for (unsigned i = 0; self && i < self->count; i++)
        stream_loop_stop(self->loops[i]);
}

void
event_streams_destroy(event_streams_t **self)
{
    event_streams_t *streams = *self;
    *self = NULL;
    if (!streams)
        return;
    event_streams_stop(streams);
    for (unsigned i = 0; i < streams->count; i++)
        stream_loop_destroy(&streams->loops[i]);
    if (streams->stand_in >= 0)
        close(streams->stand_in);
    free(streams);
}

// Asks and waits, while the worker still has the request. Fails as the actor does.
static fallible
ask(const struct event_stream_host *host, struct message **question)
{
    TRY(actor_client_ask(host->client, host->asker, question));
    const struct fault *fault = &(*question)->reply.fault;
    return fault->error == OK ? OK : fail(fault->error, "", "%s", fault->detail);
}

static fallible
ask_wish(event_stream_t *stream, const struct event_stream_host *host, unsigned scene)
{
    owned(message_destroy) struct message *question = event_stream_question(stream, scene);
    event_stream_note_asked(stream, scene);
    TRY(ask(host, &question));
    event_stream_take_answer(stream, scene, &question);
    return OK;
}

// Of a CZML stream all is asked before its head is sent: a scene without a place has a status.
static fallible
join(event_stream_t *stream, const struct event_stream_host *host, unsigned scene)
{
    TRY(ask_wish(stream, host, scene));
    while (stream->czml && stream->scenes[scene].wish != WISH_NOTHING && !stream->is_over)
        TRY(ask_wish(stream, host, scene));
    if (stream->czml && !stream->czml->is_placed)
        return fail(ERR_INVALID, "/latitude",
                    "the scene has no place: CZML needs its latitude and longitude");
    return OK;
}

static fallible
join_all(event_stream_t *stream, const struct event_stream_host *host)
{
    for (unsigned i = 0; i < stream->count; i++)
        TRY(join(stream, host, i));
    return OK;
}

static fallible
make(event_streams_t *self, const struct event_stream_host *host, const struct message *message,
     event_stream_t **ret_stream)
{
    unsigned loop = atomic_fetch_add(&self->turn, 1) % self->count;
    const struct event_stream_plan plan = {
        .request = message,
        .asker = host->asker,
        .convention = host->convention,
        .limits = &self->limits,
        .facts = host->facts,
        .bell = stream_loop_bell(self->loops[loop]),
        .loop = loop,
        .socket = host->form ? host->socket : watch_socket(host->watch),
        .form = host->form,
    };
    return event_stream_create(&plan, ret_stream);
}

fallible
event_streams_prepare(event_streams_t *self, const struct event_stream_host *host,
                      const struct message *message, event_stream_t **ret_stream)
{
    TRY(event_streams_check(host, message));
    TRY(make(self, host, message, ret_stream));
    budget_hold_move(host->budget, &(*ret_stream)->budget);
    return OK;
}

void
event_streams_begin(event_streams_t *self, event_stream_t **stream)
{
    stream_loop_take(self->loops[(*stream)->loop], stream);
}

fallible
event_streams_open(event_streams_t *self, const struct event_stream_host *host,
                   const struct message *message, event_stream_t **ret_stream)
{
    event_stream_t *stream;
    TRY(make(self, host, message, &stream));
    enum error error = join_all(stream, host);
    if (error != OK) {
        event_stream_destroy(&stream);
        return error;
    }
    budget_hold_move(host->budget, &stream->budget);
    *ret_stream = stream;
    return OK;
}

fallible
event_streams_check(const struct event_stream_host *host, const struct message *message)
{
    struct sse_place places[LIMIT_WATCHED_SCENES] = {0};
    struct server_samples samples;
    unsigned count;
    if (streams_samples(host->asker->route))
        return server_samples_begin(&samples, message->params, host->facts);
    TRY(watched_scenes_read(message->params, places, &count));
    for (unsigned i = 0; i < count && !watches_catalogue(message->params); i++) {
        owned(message_destroy) struct message *question =
            stream_access_question(SCENE_WATCH, places[i].scene, NULL);
        TRY(ask(host, &question));
    }
    return OK;
}

void
event_streams_take(event_streams_t *self, struct watch *watch, event_stream_t **stream)
{
    int socket = watch_socket(watch);
    watch_forget(watch);
    if (socket_replace(socket, self->stand_in))
        stream_loop_take(self->loops[(*stream)->loop], stream);
    event_stream_destroy(stream); // where the system did not replace it
}
