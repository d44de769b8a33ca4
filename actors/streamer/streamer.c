// streamer.c - the actor between scenes and listeners. PUB gets each event
// at once. Devices get batches of datagrams (subscribers.h): at once while the server keeps up,
// else at ticks and merged. No turn sends for longer than 4 ms, so that the mailbox is emptied
// however many devices there are.

#include "actors/streamer/streamer.h"

#include <netinet/in.h>
#include <string.h>

#include "actors/streamer/admission/admissions.h"
#include "actors/streamer/catalogue.h"
#include "actors/streamer/event_queues.h"
#include "actors/streamer/fanout/delivery.h"
#include "actors/streamer/fanout/subscribers.h"
#include "actors/streamer/pub/publisher.h"
#include "actors/udp/icmp_errors.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/base/memory.h"
#include "proto/message/lease.h"
#include "proto/records/secret.h"

enum {
    HEARTBEAT_MS = 1000,
    STOP_MS = 1000, // for the events that wait at the end
};

struct streamer {
    struct actor actor;
    const struct config *config;
    uint64_t epoch;
    int udp_socket;
    sealed_intake_t *intake;
    subscribers_t *subscribers;
    admissions_t *admissions;
    struct event_queues queues; // of streams of events
    struct catalogue catalogue;
    delivery_t *delivery;
    publisher_t *publisher; // NULL if pub.endpoint is empty
    uint64_t next_beat_ms;
    uint64_t stop_ms; // the deadline after STOP; 0 = STOP has not come
    char endpoint[256];
};

static streamer_t *
streamer_of(actor_t *actor)
{
    return (streamer_t *)(void *)actor;
}

// Events in

static void
streamer_take(streamer_t *self, const struct event *event)
{
    if (event_queues_take(&self->queues, event))
        return;
    if (self->publisher && event->msg_type != EVENT_DEVICE_KNOWN)
        publisher_publish(self->publisher, event);
    if (event->msg_type <= EVENT_LAST_FOR_DEVICES)
        delivery_take(self->delivery, event);
    else {
        catalogue_take(&self->catalogue, event, clock_now_ms(), &self->queues);
        admissions_take(self->admissions, event);
        delivery_note(self->delivery, event);
    }
}

static enum error
streamer_events(actor_t *actor, struct message *message)
{
    streamer_t *self = streamer_of(actor);
    const struct events *events = events_of(message);
    if (self->publisher && !lease_is_blind())
        publisher_listen(self->publisher);
    for (uint32_t i = 0; events && i < events->count; i++)
        streamer_take(self, &events->items[i]);
    return OK;
}

// A stream of the catalogue joins, or asks whether there is somebody.
static enum error
streamer_watch(actor_t *actor, struct message *message)
{
    streamer_t *self = streamer_of(actor);
    const struct topic *topic = topic_named(message->params->scene);
    if (!topic)
        return fail(ERR_INVALID, "", "there is no such topic");
    catalogue_hear(&self->catalogue, topic, clock_now_ms());
    if (!watching_of(message))
        return OK;
    uint64_t seq =
        catalogue_join(&self->catalogue, topic, self->epoch, watching_of(message), &self->queues);
    struct record *envelope = &reply_envelope(message)->base;
    record_set_integer(envelope, ENVELOPE_EPOCH, (int64_t)self->epoch);
    record_set_integer(envelope, ENVELOPE_SEQ, (int64_t)seq);
    return OK;
}

// What stands beside scenes has changed: its actor goes on when the message comes back.
static enum error
streamer_tell(actor_t *actor, struct message *message)
{
    streamer_t *self = streamer_of(actor);
    const struct events *events = events_of(message);
    for (uint32_t i = 0; i < events->count; i++)
        catalogue_take(&self->catalogue, &events->items[i], clock_now_ms(), &self->queues);
    return OK;
}

// A scene actor goes on when its message comes back: what it sent before is taken then.
static enum error
streamer_return(actor_t *actor, struct message *message)
{
    (void)actor;
    (void)message;
    return OK;
}

static enum error
streamer_control(actor_t *actor, struct message *message)
{
    const struct feed_controls *controls = feed_controls_of(message);
    for (uint32_t i = 0; controls && i < controls->count; i++)
        admissions_control(streamer_of(actor)->admissions, &controls->items[i]);
    return OK;
}

static enum error
streamer_report(actor_t *actor, struct message *message)
{
    struct feed_report *report = feed_report_of(message);
    for (uint32_t i = 0; i < report->count; i++)
        if (report->items[i].is_asked)
            admissions_report(streamer_of(actor)->admissions, &report->items[i]);
    message->operation = FEED_REPORTED;
    return OK;
}

static enum error
streamer_rotate(actor_t *actor, struct message *message)
{
    streamer_t *self = streamer_of(actor);
    struct arena *arena = &message->arena;
    struct curve_keys keys;
    const char *folder;
    if (!self->publisher)
        return fail(ERR_CONFLICT, "", "nothing is published: pub.endpoint is empty");
    TRY(publisher_rotate(self->publisher, &keys, &folder));
    struct record *record = record_new(arena, &rotation_schema);
    record_set_text(record, ROTATION_NAME, text_from(arena, "pub-key"));
    record_set_text(record, ROTATION_PUBLIC_KEY, text_from(arena, keys.open));
    record_set_text(record, ROTATION_FILE, text_format(arena, "%s/server.key", folder));
    reply_add_loose(message, &rotation_schema, record);
    return OK;
}

static enum error
streamer_unreachable(actor_t *actor, struct message *message)
{
    streamer_t *self = streamer_of(actor);
    const struct icmp_errors *unreachable = icmp_errors_of(message);
    char address[UDP_ENDPOINT_TEXT_SIZE];
    for (uint32_t i = 0; unreachable && i < unreachable->count; i++)
        if (subscribers_note_error(self->subscribers, &unreachable->items[i], clock_now_us()))
            log_warning("receiver_paused", "address=%s",
                        udp_endpoint_text(&unreachable->items[i], address));
    return OK;
}

static void
streamer_beat(streamer_t *self)
{
    uint64_t now_ms = clock_now_ms();
    if (!self->publisher || now_ms < self->next_beat_ms)
        return;
    if (lease_is_blind()) {
        publisher_rest(self->publisher);
    } else {
        publisher_listen(self->publisher);
        publisher_beat(self->publisher);
    }
    self->next_beat_ms = now_ms + HEARTBEAT_MS;
}

// A server that is cut off for long sends devices nothing: silence is what they look for another
// one by. What is for them waits, with newer states in the place of older ones.
static void
streamer_deliver(streamer_t *self)
{
    if (lease_is_blind())
        delivery_rest(self->delivery);
    else
        delivery_turn(self->delivery, self->actor.backlog);
}

static void
streamer_drained(actor_t *actor)
{
    streamer_t *self = streamer_of(actor);
    admissions_turn(self->admissions);
    streamer_deliver(self);
    streamer_beat(self);
    if (self->publisher)
        publisher_turn(self->publisher);
}

static int
streamer_timeout_ms(actor_t *actor)
{
    const streamer_t *self = streamer_of(actor);
    int timeout_ms =
        lease_is_blind() ? HEARTBEAT_MS : delivery_timeout_ms(self->delivery, HEARTBEAT_MS);
    if (self->publisher && clock_left_ms(self->next_beat_ms) < timeout_ms)
        timeout_ms = clock_left_ms(self->next_beat_ms);
    if (self->publisher && publisher_timeout_ms(self->publisher) < timeout_ms)
        timeout_ms = publisher_timeout_ms(self->publisher);
    int admissions_ms = admissions_timeout_ms(self->admissions);
    return admissions_ms < timeout_ms ? admissions_ms : timeout_ms;
}

// Life

static bool
streamer_stopping(actor_t *actor)
{
    streamer_t *self = streamer_of(actor);
    if (!self->stop_ms)
        self->stop_ms = clock_deadline_ms(STOP_MS);
    return lease_is_blind() || !delivery_has_events(self->delivery) ||
           clock_left_ms(self->stop_ms) == 0;
}

static enum error
streamer_open(actor_t *actor)
{
    streamer_t *self = streamer_of(actor);
    TRY(admissions_create(self->config, self->udp_socket, self->subscribers, self->intake,
                          &self->admissions));
    if (!*self->config->pub_endpoint)
        return OK;
    TRY(publisher_create(self->config, self->epoch, &self->publisher));
    snprintf(self->endpoint, sizeof self->endpoint, "%s", publisher_endpoint(self->publisher));
    log_info("pub_listening", "endpoint=%s", self->endpoint);
    return OK;
}

static void
streamer_close(actor_t *actor)
{
    streamer_t *self = streamer_of(actor);
    publisher_destroy(&self->publisher);
    delivery_destroy(&self->delivery);
    event_queues_finish(&self->queues);
    catalogue_finish(&self->catalogue);
    subscribers_destroy(&self->subscribers);
    admissions_destroy(&self->admissions); // whose devices those were
}

static const struct actor_behaviour streamer_behaviour = {
    .operations = {[EVENTS] = {streamer_events},
                   [RESTREAM] = {streamer_return},
                   [CASCADE] = {streamer_return},
                   [FEED_CONTROL] = {streamer_control},
                   [UNREACHABLE] = {streamer_unreachable},
                   [FEED_REPORT] = {streamer_report},
                   [CATALOGUE_WATCH] = {streamer_watch},
                   [CATALOGUE_TELL] = {streamer_tell},
                   [PUB_KEY_ROTATE] = {streamer_rotate}},
    .open = streamer_open,
    .drained = streamer_drained,
    .timeout_ms = streamer_timeout_ms,
    .stopping = streamer_stopping,
    .close = streamer_close,
};

fallible
streamer_create(const struct config *config, int udp_socket, uint64_t epoch,
                sealed_intake_t *intake, streamer_t **ret_streamer)
{
    streamer_t *self = memory_take_zeroed(sizeof *self);
    self->config = config;
    self->epoch = epoch;
    self->udp_socket = udp_socket;
    self->intake = intake;
    self->subscribers = subscribers_create();
    self->delivery = delivery_create(config, udp_socket, epoch, self->subscribers);
    TRY(actor_create(&self->actor, &streamer_behaviour, actor_mailbox(STREAMER_ACTOR)));
    *ret_streamer = self;
    return OK;
}

void
streamer_destroy(streamer_t **self, mailbox_t *from)
{
    if (*self)
        actor_destroy(&(*self)->actor, from);
    *self = NULL;
}

const char *
streamer_pub_endpoint(const streamer_t *self)
{
    return self->endpoint;
}
