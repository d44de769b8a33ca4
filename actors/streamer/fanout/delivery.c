// delivery.c - datagram groups (delivery.h): the next datagrams of a lane, encoded once, and the
// devices that they go to. A group may take several turns. It ends before the next one begins.

#include "actors/streamer/fanout/delivery.h"

#include <stdlib.h>

#include "actors/streamer/fanout/sealed_group.h"
#include "actors/streamer/fanout/udp_sender.h"
#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/feed/feed_packed.h"
#include "proto/feed/feed_plain.h"
#include "proto/message/metrics.h"

enum {
    SLICE_US = 4000,         // of sending in one turn
    GROUP_SENDS = 16384,     // datagrams of one group, to all devices together
    CATCH_UP_DATAGRAMS = 16, // to a device behind, at once
    CLOCK_DEVICES = 32,      // between two looks at the clock
};

// The datagrams that are being sent to the devices of a lane.
struct datagram_group {
    struct lane *lane; // NULL: none
    uint64_t number;
    uint64_t prev;        // seq that was sent before it
    uint64_t first, last; // seqs of its changes; `first` is UINT64_MAX if it has only repeats
    uint32_t from;        // place of the first change in lane->leaving
    uint32_t next_device;
    uint32_t removals; // of the lane when next_device was 0
    size_t bytes;
    unsigned datagrams;
    struct send_budget_cost cost;
};

struct delivery {
    const struct config *config;
    uint64_t epoch;
    struct send_budget_rate rate; // of a device
    subscribers_t *subscribers;
    udp_sender_t *sender;
    struct feed_packed packed; // the datagram that is being filled
    struct sealed_group clear; // datagrams of a sealed lane, before they are sealed
    bool load;                 // the last turn left work: only the newest state is sent
    struct datagram_group group;
};

delivery_t *
delivery_create(const struct config *config, int udp_socket, uint64_t epoch,
                subscribers_t *subscribers)
{
    delivery_t *self = memory_take_zeroed(sizeof *self);
    self->config = config;
    self->epoch = epoch;
    self->rate = (struct send_budget_rate){(uint64_t)config->udp_device_bytes,
                                           (uint64_t)config->udp_device_datagrams};
    self->subscribers = subscribers;
    self->sender = udp_sender_create(udp_socket);
    return self;
}

void
delivery_destroy(delivery_t **self)
{
    if (!*self)
        return;
    udp_sender_destroy(&(*self)->sender);
    feed_packed_finish(&(*self)->packed);
    sealed_group_finish(&(*self)->clear);
    free(*self);
    *self = NULL;
}

void
delivery_take(delivery_t *self, const struct event *event)
{
    subscribers_take(self->subscribers, event, self->load);
}

// Encoding

// The event in the axes of the lane's devices; its record is one reference.
static struct event
delivery_shown(const struct lane *lane, const struct event *event)
{
    struct event shown = *event;
    shown.record = convention_shown(lane->convention, event->record);
    return shown;
}

static size_t
delivery_encode_plain(delivery_t *self, const struct lane *lane, const struct event *event,
                      uint64_t prev)
{
    struct buffer *datagram = udp_sender_datagram(self->sender);
    struct event shown = delivery_shown(lane, event);
    feed_plain_write(&shown, prev, self->config->udp_base64_filler, datagram);
    record_unref(&shown.record);
    return datagram->size;
}

// False if the datagram is full.
static bool
delivery_pack(delivery_t *self, const struct lane *lane, const struct event *event,
              uint64_t members)
{
    struct event shown = delivery_shown(lane, event);
    self->packed.reserve = lane->key.is_sealed ? SEAL_BYTES : 0;
    bool fits = feed_packed_add(&self->packed, &shown, members);
    record_unref(&shown.record);
    return fits;
}

// Ends the datagram. Returns how long it is on the network.
static size_t
delivery_close(delivery_t *self, const struct lane *lane, uint64_t prev, uint64_t seq)
{
    bool is_sealed = lane->key.is_sealed;
    struct buffer *datagram =
        is_sealed ? sealed_group_datagram(&self->clear) : udp_sender_datagram(self->sender);
    feed_packed_close(&self->packed, self->epoch, prev, seq, datagram);
    return datagram->size + (is_sealed ? SEAL_BYTES : 0);
}

// Adds as many changes as fit. False if the datagram is full.
static bool
delivery_pack_changes(delivery_t *self, struct lane *lane)
{
    for (; lane->next_event < lane->leaving.count; lane->next_event++) {
        struct event event = lane->leaving.events[lane->next_event];
        struct pending_repeat *repeat = retransmit_find(&lane->retransmit, &event);
        struct sending sending = retransmit_sending(repeat, &event, lane->begun_us);
        const struct event sent = event;
        event.msg_type = sending.msg_type;
        if (!delivery_pack(self, lane, &event, sending.members))
            return false;
        retransmit_note_change(&lane->retransmit, repeat, &sent, &sending, lane->begun_us);
        lane->sent = event.seq;
    }
    return true;
}

static void
delivery_pack_repeats(delivery_t *self, struct lane *lane)
{
    struct pending_repeat *repeat;
    while ((repeat = retransmit_next(&lane->retransmit, lane->begun_us)) != NULL) {
        struct event event = repeat->event;
        event.msg_type = repeat->msg_type;
        if (!delivery_pack(self, lane, &event, repeat->members))
            return;
        retransmit_note_repeat(&lane->retransmit, repeat, lane->begun_us);
    }
}

static size_t
delivery_encode_packed(delivery_t *self, struct lane *lane)
{
    uint64_t prev = lane->sent;
    if (delivery_pack_changes(self, lane))
        delivery_pack_repeats(self, lane);
    return delivery_close(self, lane, prev, lane->sent);
}

static size_t
delivery_encode_next_plain(delivery_t *self, struct lane *lane)
{
    const struct event *event = &lane->leaving.events[lane->next_event++];
    uint64_t prev = lane->sent;
    lane->sent = event->seq;
    return delivery_encode_plain(self, lane, event, prev);
}

// How the datagrams of a form are made.
static const struct form {
    size_t (*encode)(delivery_t *self, struct lane *lane); // makes the next one; returns its size
    unsigned least, most;                                  // of one group
    enum metric_cell sent;
} forms[] = {
    [FEED_PLAIN] = {delivery_encode_next_plain, 1, 4, COUNT_UDP_OUT},
    [FEED_PACKED] = {delivery_encode_packed, 4, GROUP_DATAGRAMS, COUNT_UDP_OUT_PACKED},
};

// How many datagrams a group may have. More at once cost less each, but the other lanes wait
// longer: up to about a tick of the plain form.
static unsigned
form_group(const struct form *form, const struct lane *lane)
{
    unsigned fitting = GROUP_SENDS / (lane->device_count + 1);
    if (fitting < form->least)
        return form->least;
    return fitting < form->most ? fitting : form->most;
}

// The next datagrams are of this lane.
static void
delivery_begin_datagrams(delivery_t *self, const struct lane *lane)
{
    if (lane->key.is_sealed)
        sealed_group_begin(&self->clear);
    else
        udp_sender_begin(self->sender, forms[lane->key.form].sent);
}

// Sends them to one device.
static void
delivery_send_datagrams(delivery_t *self, const struct subscriber *device)
{
    if (device->lane->key.is_sealed)
        sealed_group_to(&self->clear, &device->sealer->sealer, self->sender,
                        &device->receiver->endpoint);
    else
        udp_sender_to(self->sender, &device->receiver->endpoint);
}

static void
delivery_begin_group(delivery_t *self, struct lane *lane)
{
    const struct form *form = &forms[lane->key.form];
    bool has_changes = lane->next_event < lane->leaving.count;
    struct datagram_group group = {
        .lane = lane,
        .number = self->group.number + 1,
        .prev = lane->sent,
        .first = has_changes ? lane->leaving.events[lane->next_event].seq : UINT64_MAX,
        .from = lane->next_event,
        .removals = lane->removals,
    };
    delivery_begin_datagrams(self, lane);
    unsigned most = form_group(form, lane);
    for (; group.datagrams < most && lane_has_more(lane); group.datagrams++)
        group.bytes += form->encode(self, lane);
    group.last = lane->sent;
    group.cost = send_budget_cost_of(&self->rate, group.bytes, group.datagrams);
    self->group = group;
    if (lane->behind_count)
        lane_keep(lane, group.from);
}

// Devices

// The device gets this group later, by itself: its budget is used up, or it has some of the group
// already.
static void
delivery_put_behind(delivery_t *self, struct subscriber *device, uint64_t now_us)
{
    if (device->lane->behind_count == 0)
        lane_keep(device->lane, self->group.from);
    subscribers_fall_behind(self->subscribers, device, self->group.prev, now_us);
}

static void
delivery_send_to(delivery_t *self, struct subscriber *device, uint64_t now_us)
{
    struct receiver *receiver = device->receiver;
    if (receiver->is_paused)
        return;
    bool has_room = send_budget_has_room(&device->budget, &receiver->address->budget, now_us);
    if (!has_room && self->group.first == UINT64_MAX)
        return; // repeats alone carry nothing new
    if (device->since >= self->group.first || !has_room) {
        counter_add(COUNT_UDP_BEHIND, !has_room);
        delivery_put_behind(self, device, now_us);
        return;
    }
    send_budget_charge(&device->budget, &receiver->address->budget, &self->group.cost, now_us);
    rate_meter_add(&device->sent, now_us, self->group.datagrams);
    delivery_send_datagrams(self, device);
}

static void
delivery_consider(delivery_t *self, struct subscriber *device, uint64_t now_us)
{
    if (device->group == self->group.number)
        return;
    device->group = self->group.number;
    if (device->is_behind || device->since >= self->group.last)
        return;
    if (device->state == SUBSCRIBER_REACHABLE)
        delivery_send_to(self, device, now_us);
    else if (device->state == SUBSCRIBER_PENDING && self->group.first != UINT64_MAX)
        delivery_put_behind(self, device, now_us);
    else if (device->state == SUBSCRIBER_UNREACHABLE)
        counter_add(COUNT_UDP_OUT_FAILED, self->group.datagrams);
}

// Whether all devices were considered. The removal of a device changes the places of others, so the
// walk begins again.
static bool
delivery_group_is_done(delivery_t *self)
{
    struct datagram_group *group = &self->group;
    if (group->next_device < group->lane->device_count)
        return false;
    if (group->removals == group->lane->removals)
        return true;
    group->removals = group->lane->removals;
    group->next_device = 0;
    return group->lane->device_count == 0;
}

// Continues the group until `end_us`. False if it has not ended then.
static bool
delivery_send(delivery_t *self, uint64_t end_us)
{
    struct datagram_group *group = &self->group;
    uint64_t now_us = clock_now_us();
    while (!delivery_group_is_done(self)) {
        if (now_us >= end_us)
            return false;
        const struct lane *lane = group->lane;
        for (unsigned i = 0; i < CLOCK_DEVICES && group->next_device < lane->device_count; i++)
            delivery_consider(self, lane->devices[group->next_device++], now_us);
        now_us = clock_now_us();
    }
    group->lane = NULL;
    subscribers_rotate(self->subscribers);
    return true;
}

// Devices behind

// Encodes the next part of a device's backlog with all members, because the device may have missed
// any. Returns the seq that it goes up to. `ret_size` is 0 if the backlog is empty.
static uint64_t
delivery_encode_backlog(delivery_t *self, const struct subscriber *device, size_t *ret_size)
{
    const struct lane *lane = device->lane;
    uint64_t last = device->since;
    struct event backlog;
    *ret_size = 0;
    if (!catch_up_after(&lane->catch_up, last, device->behind_since, &backlog))
        return last;
    if (lane->key.form == FEED_PLAIN) {
        *ret_size = delivery_encode_plain(self, lane, &backlog, device->since);
        return backlog.seq;
    }
    do {
        if (!delivery_pack(self, lane, &backlog,
                           feed_packed_difference(NULL, event_record(&backlog))))
            break;
        last = backlog.seq;
    } while (catch_up_after(&lane->catch_up, last, device->behind_since, &backlog));
    *ret_size = delivery_close(self, lane, device->since, last);
    return last;
}

// Sends the next part of the backlog. False if nothing is left.
static bool
delivery_send_some_backlog(delivery_t *self, struct subscriber *device, uint64_t now_us)
{
    const struct lane *lane = device->lane;
    size_t size;
    if (device->since < lane->catch_up.floor)
        device->since = lane->catch_up.floor;
    delivery_begin_datagrams(self, lane);
    device->since = delivery_encode_backlog(self, device, &size);
    if (!size)
        return false;
    struct send_budget_cost cost = send_budget_cost_of(&self->rate, size, 1);
    send_budget_charge(&device->budget, &device->receiver->address->budget, &cost, now_us);
    rate_meter_add(&device->sent, now_us, 1);
    delivery_send_datagrams(self, device);
    return true;
}

// Sends as much of the backlog as the budget allows.
static void
delivery_send_backlog(delivery_t *self, struct subscriber *device, uint64_t now_us)
{
    if (device->state == SUBSCRIBER_PENDING)
        device->state = SUBSCRIBER_UNPROVEN; // it has not proven an address in time
    bool is_there = device->state == SUBSCRIBER_REACHABLE && !device->receiver->is_paused;
    for (unsigned i = 0; is_there && i < CATCH_UP_DATAGRAMS; i++) {
        if (!send_budget_has_room(&device->budget, &device->receiver->address->budget, now_us))
            break;
        is_there = delivery_send_some_backlog(self, device, now_us);
    }
    if (is_there)
        subscribers_postpone(self->subscribers, device);
    else
        subscribers_end_backlog(self->subscribers, device);
}

// Turns

// Alternates between groups and devices behind, so that neither waits for all of the other.
static void
delivery_work(delivery_t *self, uint64_t end_us)
{
    struct lane *lane;
    struct subscriber *behind;
    for (;;) {
        if (self->group.lane && !delivery_send(self, end_us))
            return;
        uint64_t now_us = clock_now_us();
        behind = subscribers_next_behind(self->subscribers, now_us);
        if (behind)
            delivery_send_backlog(self, behind, now_us);
        lane = subscribers_next(self->subscribers, self->load);
        if (now_us >= end_us || (!lane && !behind))
            return;
        if (lane)
            delivery_begin_group(self, lane);
    }
}

void
delivery_turn(delivery_t *self, bool backlog)
{
    uint64_t now_us = clock_now_us();
    subscribers_begin_batches(self->subscribers, now_us);
    delivery_work(self, now_us + SLICE_US);
    udp_sender_send(self->sender);
    self->load = backlog || subscribers_is_sending(self->subscribers);
}

int
delivery_timeout_ms(const delivery_t *self, int most_ms)
{
    if (subscribers_is_sending(self->subscribers))
        return 0;
    uint64_t due_us = subscribers_due_us(self->subscribers), now_us = clock_now_us();
    if (due_us <= now_us)
        return 0;
    uint64_t left_ms = due_us - now_us > (uint64_t)most_ms * 1000 ? (uint64_t)most_ms
                                                                  : (due_us - now_us + 999) / 1000;
    return (int)left_ms;
}

bool
delivery_has_events(const delivery_t *self)
{
    return subscribers_has_events(self->subscribers);
}
