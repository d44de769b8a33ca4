// admissions.c - registrations become subscribers with endpoints (admissions.h). Runs on the
// streamer's thread; names are resolved on another (resolver.h).

#include "actors/admissions.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "actors/destinations.h"
#include "actors/resolver.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"

enum {
    RESOLVER_POLL_MS = 20, // while names are being resolved
};

struct admissions {
    const struct config *config;
    int family; // of the UDP socket
    subscribers_t *subscribers;
    resolver_t *resolver;
};

static const struct device *
device_of(const struct event *event)
{
    return (const struct device *)(const void *)event->record;
}

static void
admissions_set_endpoint(const admissions_t *self, struct subscriber *subscriber,
                        const char *address, int port)
{
    union endpoint endpoint;
    if (endpoint_from(self->family, address, port, &endpoint)) {
        subscribers_direct(self->subscribers, subscriber, &endpoint);
        return;
    }
    subscriber->state = SUBSCRIBER_UNREACHABLE;
    log_warning("device_unreachable", "device=%s address=%s", text_chars(subscriber->key), address);
}

static void
admissions_resolve(admissions_t *self, uint64_t scene_id, struct subscriber *subscriber,
                   const struct device *device, const struct destination *asked)
{
    struct resolution *question = resolution_create(subscriber->key);
    memcpy(question->host, asked->host, strlen(asked->host));
    snprintf(question->peer, sizeof question->peer, "%s", text_chars(device->peer));
    question->port = asked->port;
    question->scene_id = scene_id;
    question->ticket = subscriber->ticket;
    if (resolver_ask(self->resolver, &question))
        return;
    log_warning("device_unresolved", "device=%s reason=busy", text_chars(subscriber->key));
    resolution_destroy(&question);
}

static void
admissions_admit(admissions_t *self, const struct event *event)
{
    const struct device *device = device_of(event);
    struct destination asked;
    if (!destination_of(device, &asked)) {
        subscribers_remove(self->subscribers, event->scene_id, device->key);
        return;
    }
    const struct lane_key lane = {asked.form, asked.rate_hz, device->convention};
    struct subscriber *subscriber =
        subscribers_admit(self->subscribers, event->scene_id, device->key, event->seq, &lane);
    if (text_size(device->address))
        admissions_set_endpoint(self, subscriber, text_chars(device->address), asked.port);
    else
        admissions_resolve(self, event->scene_id, subscriber, device, &asked);
}

void
admissions_take(admissions_t *self, const struct event *event)
{
    switch (event->msg_type) {
    case EVENT_DEVICE_REGISTERED:
    case EVENT_DEVICE_KNOWN:
        admissions_admit(self, event);
        break;
    case EVENT_DEVICE_DEREGISTERED:
        subscribers_remove(self->subscribers, event->scene_id, device_of(event)->key);
        break;
    case EVENT_SCENE_DELETED:
        subscribers_end_scene(self->subscribers, event->scene_id);
        break;
    default:
        break;
    }
}

// A device that went or came again meanwhile has another ticket, or none: its answer is stale.
void
admissions_turn(admissions_t *self)
{
    struct resolution *answer;
    while ((answer = resolver_answer(self->resolver)) != NULL) {
        struct subscriber *subscriber =
            subscribers_find(self->subscribers, answer->scene_id, answer->key, answer->ticket);
        if (subscriber && destination_is_proven(answer->address, answer->peer,
                                                self->config->udp_trusted_networks))
            admissions_set_endpoint(self, subscriber, answer->address, answer->port);
        resolution_destroy(&answer);
    }
}

int
admissions_timeout_ms(admissions_t *self)
{
    return resolver_is_busy(self->resolver) ? RESOLVER_POLL_MS : INT_MAX;
}

// While the server listens on loopback only and trusts no proxy, every peer is on loopback: then a
// name may resolve to loopback too. The registration itself does not say who its peer was.
static bool
peers_are_loopback(const struct config *config)
{
    return (strncmp(config->http_host, "127.", 4) == 0 || strcmp(config->http_host, "::1") == 0 ||
            strcmp(config->http_host, "localhost") == 0) &&
           !*config->http_trusted_proxies;
}

fallible
admissions_create(const struct config *config, int family, subscribers_t *subscribers,
                  admissions_t **ret_admissions)
{
    resolver_t *resolver;
    TRY(resolver_create(resolver_lookup_system, family, peers_are_loopback(config), &resolver));
    admissions_t *self = memory_take_zeroed(sizeof *self);
    *self = (admissions_t){config, family, subscribers, resolver};
    *ret_admissions = self;
    return OK;
}

void
admissions_destroy(admissions_t **self)
{
    if (!*self)
        return;
    resolver_destroy(&(*self)->resolver);
    free(*self);
    *self = NULL;
}
