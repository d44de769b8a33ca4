// admissions.c - makes registrations subscribers with endpoints (admissions.h). An endpoint is
// *proven* if its address is that of the peer that registered, is in a trusted network, or returned
// a challenge. Until then it is sent challenges alone.

#include "actors/streamer/admission/admissions.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "actors/streamer/admission/challenge_retries.h"
#include "actors/streamer/admission/challenger.h"
#include "actors/streamer/admission/name_resolver.h"
#include "actors/streamer/admission/registered_devices.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/feed/destinations.h"
#include "proto/records/lock.h"

enum {
    RESOLVER_POLL_MS = 20, // while names are being resolved
    HELLO_ANSWERS = 30,    // to one registration within HELLO_WITHIN_MS
    HELLO_WITHIN_MS = 60000,
    REPEATS_US = 20000, // between two questions of one registration
};

struct admissions {
    const struct config *config;
    int family;   // of the socket
    int own_port; // that it is bound to
    subscribers_t *subscribers;
    registered_devices_t *devices;
    struct challenger challenger;
    struct challenge_retries retries;
    name_resolver_t *resolver;
    uint64_t ended_ms; // when devices of scenes that have ended may be forgotten
};

// --- addresses ---

// Whether datagrams may be sent to this source. Loopback may: the kernel takes it from this host
// alone.
static bool
is_allowed(const admissions_t *self, const union udp_endpoint *source)
{
    char address[UDP_ENDPOINT_ADDRESS_SIZE];
    udp_endpoint_address(source, address);
    int port = udp_endpoint_port(source);
    return destination_address_allowed(address, true) && destination_port_allowed(port) &&
           port != self->own_port;
}

// Whether the address needs no challenge.
static bool
is_proven(const admissions_t *self, const struct registered_device *device, const char *address)
{
    struct opened room;
    return destination_address_is_proven(address, text_chars(registered_open(device, &room)->peer),
                                         self->config->udp_trusted_networks);
}

// --- subscribers ---

// NULL: it gets no datagrams.
static struct subscriber *
subscriber_of(struct registered_device *device)
{
    return device->subscriber.lane ? &device->subscriber : NULL;
}

// What a device that registered without an address gets at the one that it proves: the plain form,
// or what its seal goes around.
static const struct destination unasked[] = {
    {.form = FEED_PLAIN},
    {.form = FEED_PACKED, .rate_hz = PACKED_RATE_DEFAULT_HZ, .is_sealed = true},
};

static const struct text *
convention_of(const struct registered_device *device, struct opened *room)
{
    return device_rare_of(registered_open(device, room))->convention;
}

static struct subscriber *
subscribe(admissions_t *self, struct registered_device *device, uint64_t since,
          const struct destination *asked)
{
    struct opened room;
    bool is_track = asked->form == FEED_TRACK; // which has axes of its own
    bool has_axes = !is_track && frozen_has(device->frozen, DEVICE_CONVENTION);
    struct lane_key lane = {.form = asked->form,
                            .rate_hz = asked->rate_hz,
                            .convention = has_axes ? convention_of(device, &room) : NULL,
                            .is_sealed = asked->is_sealed,
                            .has_tail = asked->has_tail,
                            .has_filler = asked->has_filler,
                            .has_indices = asked->has_indices,
                            .source = asked->source};
    memcpy(lane.object, asked->object, sizeof lane.object);
    subscribers_admit(self->subscribers, &device->subscriber, registered_scene_id(device), since,
                      &lane);
    device->subscriber.hears_asks = asked->hears_asks;
    return &device->subscriber;
}

static bool
is_directed_to(const struct subscriber *subscriber, const union udp_endpoint *endpoint)
{
    return subscriber && subscriber->state == SUBSCRIBER_REACHABLE &&
           udp_endpoint_equal(&subscriber->receiver->endpoint, endpoint);
}

// --- challenges ---

// Challenges the unproven address of a registration.
static void
challenge_address(admissions_t *self, const struct registered_device *device,
                  const union udp_endpoint *endpoint)
{
    struct opened room;
    const char *token_hash = text_chars(registered_open(device, &room)->token);
    uint64_t now_ms = clock_now_ms();
    if (!*token_hash || !challenger_spend(&self->challenger, endpoint, now_ms))
        return;
    challenger_send(&self->challenger, device, endpoint, now_ms);
    challenge_retries_add(&self->retries, endpoint, token_hash, now_ms);
}

// A device that registered again has another token, one that deregistered has none, and one that
// proved its address needs no more challenges.
static void
repeat_challenges(admissions_t *self)
{
    struct challenge_retry retry;
    uint64_t now_ms = clock_now_ms();
    while (challenge_retries_take(&self->retries, now_ms, &retry)) {
        struct registered_device *device = registered_devices_find(self->devices, retry.token_hash);
        const struct subscriber *subscriber = device ? subscriber_of(device) : NULL;
        if (subscriber && subscriber->state != SUBSCRIBER_REACHABLE &&
            challenger_spend(&self->challenger, &retry.endpoint, now_ms))
            challenger_send(&self->challenger, device, &retry.endpoint, now_ms);
    }
}

// --- registrations ---

// The address of a registration is known. `is_pinned`: the registration itself says it.
static void
set_address(admissions_t *self, struct registered_device *device, const char *address, int port,
            bool is_pinned)
{
    struct subscriber *subscriber = subscriber_of(device);
    union udp_endpoint endpoint;
    if (!subscriber)
        return; // its scene was deleted
    if (!udp_endpoint_from(self->family, address, port, &endpoint)) {
        subscriber->state = SUBSCRIBER_UNREACHABLE;
        log_warning("device_unreachable", "device=%s address=%s",
                    text_chars(frozen_key(device->frozen)), address);
    } else if (is_pinned || is_proven(self, device, address)) {
        subscribers_set_endpoint(self->subscribers, subscriber, &endpoint);
    } else if (!device->is_old) {
        challenge_address(self, device, &endpoint);
    }
}

static void
resolve(admissions_t *self, const struct registered_device *device, const struct destination *asked)
{
    struct opened room;
    const struct device *record = registered_open(device, &room);
    const char *peer = text_chars(record->peer);
    struct resolution *question = resolution_create(record->key);
    memcpy(question->host, asked->host, strlen(asked->host));
    question->port = asked->port;
    question->scene_id = registered_scene_id(device);
    question->ticket = device->ticket;
    question->peer_is_loopback =
        destination_address_allowed(peer, true) && !destination_address_allowed(peer, false);
    if (name_resolver_ask(self->resolver, &question))
        return;
    log_warning("device_unresolved", "device=%s reason=busy", text_chars(record->key));
    resolution_destroy(&question);
}

// A device without an address gets nothing until it proves one; nor does any device of a server
// that follows, as its leader sends it all: only who comes here has its feed from here.
static void
admit(admissions_t *self, const struct event *event)
{
    struct registered_device *device = registered_devices_put(self->devices, event);
    device->heard_us = device->is_old ? 0 : clock_calendar_us();
    struct opened room;
    const struct device *record = registered_open(device, &room);
    const struct text *address = record->address;
    struct destination asked;
    union udp_endpoint literal;
    if (config_follows(self->config) || !destination_of(record, &asked) ||
        (self->config->udp_require_sealed && !asked.is_sealed)) {
        subscribers_remove(self->subscribers, &device->subscriber);
        device->subscriber.since = event->seq;
        return;
    }
    subscribe(self, device, event->seq, &asked);
    if (text_size(address))
        set_address(self, device, text_chars(address), asked.port, true);
    else if (udp_endpoint_from(self->family, asked.host, asked.port, &literal))
        set_address(self, device, asked.host, asked.port, false);
    else
        resolve(self, device, &asked);
}

static void
deregister(admissions_t *self, const struct event *event)
{
    struct registered_device *device =
        registered_devices_at(self->devices, event->scene_id, frozen_key(event->record));
    if (!device)
        return;
    subscribers_remove(self->subscribers, &device->subscriber);
    registered_devices_remove(self->devices, device);
}

// The device that holds a lock is told that somebody asks for it.
static void
tell_ask(admissions_t *self, const struct event *event)
{
    const struct lock_ask *ask = lock_ask_of(event_record(event));
    struct registered_device *device =
        registered_devices_at(self->devices, event->scene_id, ask->holder);
    if (device)
        subscribers_tell_ask(self->subscribers, &device->subscriber, event);
}

void
admissions_take(admissions_t *self, const struct event *event)
{
    switch (event->msg_type) {
    case EVENT_DEVICE_REGISTERED:
    case EVENT_DEVICE_KNOWN:
        admit(self, event);
        break;
    case EVENT_DEVICE_DEREGISTERED:
        deregister(self, event);
        break;
    case EVENT_LOCK_ASKED:
        tell_ask(self, event);
        break;
    case EVENT_SCENE_DELETED:
        subscribers_end_scene(self->subscribers, event->scene_id);
        registered_devices_end_scene(self->devices, event->scene_id);
        break;
    default:
        break;
    }
}

// The answer is stale if the device deregistered or registered again: it has no or another ticket.
static void
take_answers(admissions_t *self)
{
    struct resolution *answer;
    while ((answer = name_resolver_answer(self->resolver)) != NULL) {
        struct registered_device *device =
            registered_devices_at(self->devices, answer->scene_id, answer->key);
        if (device && device->ticket == answer->ticket && answer->address[0])
            set_address(self, device, answer->address, answer->port, false);
        resolution_destroy(&answer);
    }
}

// Forgets devices of scenes that have ended, some in each turn.
static void
forget_ended(admissions_t *self)
{
    enum { AT_ONCE = 256, AGAIN_MS = 20 };
    struct registered_device *device;
    unsigned count = 0;
    for (; count < AT_ONCE && (device = registered_devices_ended(self->devices)) != NULL; count++) {
        if (!subscribers_forget_ended(self->subscribers, &device->subscriber))
            break;
        registered_devices_forget_ended(self->devices);
    }
    self->ended_ms = clock_deadline_ms(count ? 0 : AGAIN_MS);
}

void
admissions_turn(admissions_t *self)
{
    take_answers(self);
    repeat_challenges(self);
    if (registered_devices_ended(self->devices))
        forget_ended(self);
}

int
admissions_timeout_ms(admissions_t *self)
{
    uint64_t due_ms = challenge_retries_due_ms(&self->retries);
    int timeout_ms = due_ms == UINT64_MAX ? INT_MAX : clock_left_ms(due_ms);
    bool is_busy = name_resolver_is_busy(self->resolver);
    if (registered_devices_ended(self->devices) && clock_left_ms(self->ended_ms) < timeout_ms)
        timeout_ms = clock_left_ms(self->ended_ms);
    return is_busy && RESOLVER_POLL_MS < timeout_ms ? RESOLVER_POLL_MS : timeout_ms;
}

// --- control datagrams ---

// Counts one more HELLO of a registration. Returns whether it may be answered.
static bool
count_hello(struct registered_device *device, uint64_t now_ms)
{
    struct greeting *greeting = registered_greeting(device);
    if (now_ms - greeting->hello_ms >= HELLO_WITHIN_MS) {
        greeting->hello_ms = now_ms;
        greeting->hellos = 0;
    }
    return greeting->hellos++ < HELLO_ANSWERS;
}

// False if it gets no answer: too many were sent to this address or to this device.
static bool
take_hello(admissions_t *self, struct registered_device *device, const struct feed_control *control)
{
    uint64_t now_ms = clock_now_ms();
    char address[UDP_ENDPOINT_ADDRESS_SIZE];
    udp_endpoint_address(&control->source, address);
    bool is_known =
        is_directed_to(subscriber_of(device), &control->source) || is_proven(self, device, address);
    if (!count_hello(device, now_ms) ||
        !(is_known || challenger_spend(&self->challenger, &control->source, now_ms)))
        return false;
    challenger_answer(&self->challenger, device, control, now_ms);
    return true;
}

// From now on its datagrams go to this source, whatever address it registered.
static bool
take_echo(admissions_t *self, struct registered_device *device, const struct feed_control *control)
{
    if (!challenger_check(&self->challenger, control, clock_now_ms()))
        return false;
    struct subscriber *subscriber = subscriber_of(device);
    if (!subscriber)
        subscriber = subscribe(self, device, device->subscriber.since,
                               &unasked[device->subscriber.sealer != NULL]);
    subscribers_set_endpoint(self->subscribers, subscriber, &control->source);
    return true;
}

// How many of the changes that were sent it asks for again. What it claims beyond what a lane keeps
// is not counted.
static uint32_t
count_missed(const struct subscriber *subscriber, const struct feed_control *control)
{
    uint64_t last = control->to < subscriber->lane->sent ? control->to : subscriber->lane->sent;
    if (control->from > last)
        return 0;
    uint64_t missed = last - control->from + 1;
    return missed < CATCH_UP_EVENTS ? (uint32_t)missed : CATCH_UP_EVENTS;
}

// A question is answered in any case, if only by a refusal: a device that hears nothing would wait.
static bool
take_repeat(admissions_t *self, struct registered_device *device,
            const struct feed_control *control)
{
    struct subscriber *subscriber = subscriber_of(device);
    uint64_t now_us = clock_now_us();
    if (!is_directed_to(subscriber, &control->source))
        return false;
    struct greeting *greeting = registered_greeting(device);
    struct asked asked = {.from = control->from ? control->from : 1,
                          .to = control->to ? control->to : 1,
                          .bytes = control->size,
                          .is_refused = now_us < greeting->repeats_from_us};
    subscriber->receiver->endpoint = control->source; // the answer leaves from where it was asked
    counter_add(COUNT_UDP_DROP_BUSY, asked.is_refused);
    if (!asked.is_refused) {
        rate_meter_add(&subscriber_traffic(subscriber)->lost, now_us,
                       count_missed(subscriber, control));
        greeting->repeats_from_us = now_us + REPEATS_US;
    }
    subscribers_ask(self->subscribers, subscriber, &asked);
    return true;
}

void
admissions_control(admissions_t *self, const struct feed_control *control)
{
    struct registered_device *device = registered_devices_find(self->devices, control->token_hash);
    if (device)
        device->heard_us = clock_calendar_us();
    if (!device)
        counter_add(COUNT_UDP_DROP_TOKEN, 1);
    else if (control->is_sealed != (device->subscriber.sealer != NULL))
        counter_add(COUNT_UDP_DROP_UNSEALED, 1);
    else if (!is_allowed(self, &control->source))
        counter_add(COUNT_UDP_DROP_PROOF, 1);
    else if (control->type == CONTROL_HELLO)
        counter_add(COUNT_UDP_DROP_BUSY, !take_hello(self, device, control));
    else if (control->type == CONTROL_ECHO)
        counter_add(COUNT_UDP_DROP_PROOF, !take_echo(self, device, control));
    else
        counter_add(COUNT_UDP_DROP_PROOF, !take_repeat(self, device, control));
}

// --- reports ---

static enum feed_state
state_of(const struct subscriber *subscriber)
{
    switch ((enum subscriber_state)subscriber->state) {
    case SUBSCRIBER_PENDING:
        return FEED_PENDING;
    case SUBSCRIBER_UNPROVEN:
        return FEED_UNPROVEN;
    case SUBSCRIBER_UNREACHABLE:
        return FEED_UNREACHABLE;
    case SUBSCRIBER_REACHABLE:
        break;
    }
    return subscriber->receiver->is_paused ? FEED_PAUSED : FEED_ACTIVE;
}

static void
report_feed(const struct subscriber *subscriber, struct feed_item *item)
{
    char address[UDP_ENDPOINT_TEXT_SIZE];
    uint64_t now_us = clock_now_us();
    item->state = state_of(subscriber);
    item->form = subscriber->lane->key.form;
    item->rate_hz = subscriber->lane->key.rate_hz;
    item->is_sealed = subscriber->lane->key.is_sealed;
    item->is_behind = subscriber->is_behind;
    if (subscriber->traffic) {
        item->sent_s = rate_meter_per_s(&subscriber->traffic->sent, now_us);
        item->lost_s = rate_meter_per_s(&subscriber->traffic->lost, now_us);
    }
    if (subscriber->receiver)
        snprintf(item->address, sizeof item->address, "%s",
                 udp_endpoint_text(&subscriber->receiver->endpoint, address));
}

void
admissions_report(const admissions_t *self, struct feed_item *item)
{
    struct registered_device *device =
        registered_devices_at(self->devices, item->scene_id, frozen_key(item->device));
    const struct subscriber *subscriber = device ? subscriber_of(device) : NULL;
    item->state = FEED_NONE;
    if (!device)
        return; // it left meanwhile
    item->heard_us = device->heard_us;
    if (subscriber)
        report_feed(subscriber, item);
}

// --- life ---

fallible
admissions_create(const struct config *config, int udp_socket, subscribers_t *subscribers,
                  sealed_intake_t *intake, admissions_t **ret_admissions)
{
    union udp_endpoint bound = {.any.sa_family = AF_INET};
    socklen_t size = sizeof bound;
    if (getsockname(udp_socket, &bound.any, &size) != 0)
        log_warning("udp_unnamed", "reason=%s", strerror(errno));
    name_resolver_t *resolver;
    TRY(name_resolver_create(name_resolver_lookup_system, bound.any.sa_family, &resolver));
    admissions_t *self = memory_take_zeroed(sizeof *self);
    *self = (admissions_t){.config = config,
                           .family = bound.any.sa_family,
                           .own_port = udp_endpoint_port(&bound),
                           .subscribers = subscribers,
                           .devices = registered_devices_create(),
                           .resolver = resolver};
    challenger_init(&self->challenger, udp_socket, intake);
    *ret_admissions = self;
    return OK;
}

void
admissions_destroy(admissions_t **self)
{
    if (!*self)
        return;
    name_resolver_destroy(&(*self)->resolver);
    challenge_retries_finish(&(*self)->retries);
    challenger_finish(&(*self)->challenger);
    registered_devices_destroy(&(*self)->devices);
    free(*self);
    *self = NULL;
}
