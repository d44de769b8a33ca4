// opening.c - opens WebSockets (opening.h).
#include "gateway/foxglove/opening.h"

#include <stdio.h>
#include <sys/socket.h>

#include "gateway/foxglove/handshake.h"
#include "gateway/foxglove/viewer.h"
#include "gateway/http/client_address.h"
#include "gateway/request/request_budget.h"
#include "proto/base/clock.h"
#include "proto/base/limits.h"
#include "proto/base/owned.h"
#include "proto/message/lease.h"

enum {
    TICKS = 30,        // a second
    SCENE_BYTES = 44,  // of one scene in the id of an event, beside its key (watched_scenes.c)
    KEYS_BYTES = 8192, // of all scenes in it
    ASSETS_SIZE = 320,
};

void
opening_init(struct opening *self, const struct foxglove_settings *settings)
{
    self->settings = *settings;
    self->guard = (struct request_guard_rules){
        .loopback = request_guard_is_loopback(settings->host), .origins = settings->origins};
    self->client =
        actor_client_create(settings->boxes, NULL, settings->shards, settings->deadline_ms);
}

void
opening_finish(struct opening *self)
{
    actor_client_destroy(&self->client);
}

// A page of any site can open a WebSocket to this machine, and no rule of browsers keeps it from
// reading. So a page must be of an origin that is listed; a program has none.
static fallible
check_origin(const struct http_request *request, const struct request_guard_rules *rules)
{
    const char *origin = http_header(request, "Origin");
    if (!origin || request_guard_listed_origin(request, rules))
        return OK;
    return fail(ERR_FORBIDDEN, "", "pages of %.100s may not view: http.cors_origins lists who may",
                origin);
}

// --- scenes ---

static void
watch_one(struct message *watch, const struct text *scene)
{
    record_set_text(&watch->params->base, PARAMS_SCENE, text_copy(&watch->arena, scene));
}

// The scenes of a reply, as many as one stream follows.
static unsigned
watch_found(struct message *watch, const struct reply *found)
{
    struct texts *scenes =
        arena_alloc(&watch->arena, sizeof *scenes + LIMIT_WATCHED_SCENES * sizeof scenes->items[0]);
    size_t size = 0;
    scenes->count = 0;
    for (uint32_t i = 0; i < found->count && scenes->count < LIMIT_WATCHED_SCENES; i++) {
        const struct text *key = record_key(reply_record(found, i));
        size += 3 * text_size(key) + SCENE_BYTES; // percent-encoded
        if (size > KEYS_BYTES)
            break;
        scenes->items[scenes->count++] = text_copy(&watch->arena, key);
    }
    watch->params->scenes = scenes;
    record_mark(&watch->params->base, PARAMS_SCENES);
    return scenes->count;
}

// All scenes that the caller may read. `*ret_cut`: there are more than are followed.
static fallible
watch_all(const struct opening *self, const struct asker *asker, struct message *watch,
          bool *ret_cut)
{
    owned(message_destroy) struct message *query = message_create(SCENE_QUERY);
    record_set_integer(&query->params->base, PARAMS_NUM_RECORDS, LIMIT_WATCHED_SCENES + 1);
    TRY(actor_client_ask(self->client, asker, &query));
    const struct fault *fault = &query->reply.fault;
    if (fault->error != OK)
        return fail(fault->error, "", "%s", fault->detail);
    unsigned count = watch_found(watch, &query->reply);
    *ret_cut = count < query->reply.count;
    return count ? OK : fail(ERR_NOT_FOUND, "", "there is no scene that may be viewed");
}

// --- the stream ---

// Where the client reaches HTTP of this server, if nobody has said it.
static void
find_assets(const struct opening *self, const struct http_request *request, char *ret_assets)
{
    const char *host = http_header(request, "Host");
    if (*self->settings.assets || !host) {
        snprintf(ret_assets, ASSETS_SIZE, "%s", self->settings.assets);
        return;
    }
    const char *bracket = strchr(host, ']');
    size_t size = bracket ? (size_t)(bracket + 1 - host) : strcspn(host, ":");
    if (client_address_is_by_tls(request, self->settings.proxies))
        snprintf(ret_assets, ASSETS_SIZE, "https://%.*s", (int)size, host);
    else
        snprintf(ret_assets, ASSETS_SIZE, "http://%.*s:%d", (int)size, host,
                 self->settings.http_port);
}

static struct stream_form *
make_viewer(struct opening *self, const struct handshake *asked, const struct message *watch,
            bool is_cut)
{
    char assets[ASSETS_SIZE];
    const struct params *params = watch->params;
    bool is_one = record_has(&params->base, PARAMS_SCENE);
    find_assets(self, &asked->request, assets);
    const struct viewer_plan plan = {
        .scenes = is_one ? &params->scene : params->scenes->items,
        .count = is_one ? 1 : params->scenes->count,
        .is_cut = is_cut,
        .assets = assets,
        .viewers = &self->viewers,
    };
    return viewer_create(&plan, clock_now_ms());
}

// The first bytes of a connection, for which its socket has room.
static fallible
answer(const struct handshake *asked, int socket)
{
    struct buffer out = {0};
    handshake_put_accepted(asked, &out);
    bool is_sent =
        send(socket, out.data, out.size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)out.size;
    buffer_finish(&out);
    return is_sent ? OK : fail(ERR_MALFORMED, "", "the client has left");
}

static fallible
prepare(struct opening *self, const struct asker *asker, const struct handshake *asked, int socket,
        struct stream_form **form, const struct message *watch, event_stream_t **ret_stream)
{
    struct budget_hold budget = {0};
    struct caller caller;
    TRY(asker_identify(asker, &caller));
    TRY(request_budget_take(&budget, self->settings.book, asker->route, &caller));
    const struct event_stream_host host = {
        .client = self->client,
        .asker = asker,
        .facts = self->settings.facts,
        .budget = &budget,
        .form = form,
        .socket = socket,
    };
    enum error error = event_streams_prepare(self->settings.streams, &host, watch, ret_stream);
    budget_hold_end(&budget);
    TRY(error);
    error = lease_check(); // after what the viewer will be shown first was read
    if (error == OK)
        error = answer(asked, socket);
    if (error != OK)
        event_stream_destroy(ret_stream);
    return error;
}

// What the client has sent behind its head, as some do who do not wait for the answer.
static void
hear_rest(struct stream_form *form, const struct buffer *head, size_t size)
{
    if (head->size > size)
        form->operations->hear(form, head->data + size, head->size - size, clock_now_ms());
}

static fallible
open_stream(struct opening *self, const struct asker *asker, const struct handshake *asked,
            int socket, const struct buffer *head, size_t size)
{
    owned(message_destroy) struct message *watch = message_create(SCENE_WATCH);
    event_stream_t *stream = NULL;
    bool is_cut = false;
    record_set_integer(&watch->params->base, PARAMS_RATE, TICKS);
    if (asked->scene)
        watch_one(watch, asked->scene);
    else
        TRY(watch_all(self, asker, watch, &is_cut));
    struct stream_form *form = make_viewer(self, asked, watch, is_cut), *given = form;
    enum error error = prepare(self, asker, asked, socket, &given, watch, &stream);
    if (given)
        given->operations->destroy(&given);
    TRY(error);
    hear_rest(form, head, size);
    event_streams_begin(self->settings.streams, &stream);
    return OK;
}

static fallible
admit(struct opening *self, const struct asker *asker)
{
    struct caller caller;
    unsigned wait_s;
    if (!atomic_load(self->settings.ready))
        return fail(ERR_UNAVAILABLE, "", "the server is not ready");
    TRY(check_origin(asker->request, &self->guard));
    TRY(asker_identify(asker, &caller));
    TRY(rate_limit_take(self->settings.rate_limit, asker->route, &caller, &wait_s));
    if (atomic_load(&self->viewers) >= FOXGLOVE_VIEWERS)
        return fail(ERR_UNAVAILABLE, "", "all %d places of viewers are taken", FOXGLOVE_VIEWERS);
    return OK;
}

fallible
opening_run(struct opening *self, int socket, const char *peer, struct buffer *head, size_t size)
{
    owned(arena_finish) struct arena arena = {0};
    struct handshake asked;
    TRY(handshake_read(&arena, head->data, size, &asked));
    asked.request.peer = peer;
    TRY(request_guard_check(&asked.request, &self->guard));
    const struct asker asker = {
        .auth = self->settings.auth,
        .guard = &self->guard,
        .proxies = self->settings.proxies,
        .request = &asked.request,
        .route = self->settings.route,
    };
    TRY(admit(self, &asker));
    return open_stream(self, &asker, &asked, socket, head, size);
}
