// delivery.c - datagram groups (delivery.h): the next datagrams of a lane, encoded once, and the
// devices that they go to. A group may take several turns. It ends before the next one begins.

#include "actors/streamer/fanout/delivery.h"

#include <stdlib.h>

#include "actors/streamer/fanout/encoder.h"
#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/message/metrics.h"

enum {
    SLICE_US = 4000,         // of sending in one turn
    CATCH_UP_DATAGRAMS = 16, // to a device behind, at once
    ANSWERS_SHARE = 4,  // at most one of so many parts of the thread's time is spent on answers
    CLOCK_DEVICES = 32, // between two looks at the clock
};

// The datagrams that are being sent to the devices of a lane.
struct datagram_group {
    struct lane *lane;    // NULL: none
    uint64_t prev;        // seq that was sent before it
    uint64_t first, last; // seqs of its changes; `first` is UINT64_MAX if it has only repeats
    uint32_t from;        // place of the first change in lane->leaving
    uint32_t next_device;
    uint32_t removals; // of the lane when next_device was 0
    size_t bytes;
    unsigned datagrams;
    bool is_tail; // it says up to where all was sent, also to who has all
    struct send_budget_cost cost;
};

struct delivery {
    struct encoder encoder;
    struct send_budget_rate rate; // of a device
    subscribers_t *subscribers;
    bool load;                // the last turn left work: only the newest state is sent
    uint64_t answers_from_us; // when the next device is answered
    struct datagram_group group;
};

delivery_t *
delivery_create(const struct config *config, int udp_socket, uint64_t epoch,
                subscribers_t *subscribers)
{
    delivery_t *self = memory_take_zeroed(sizeof *self);
    encoder_init(&self->encoder, config, udp_socket, epoch);
    self->rate = (struct send_budget_rate){(uint64_t)config->udp_device_bytes,
                                           (uint64_t)config->udp_device_datagrams};
    self->subscribers = subscribers;
    return self;
}

void
delivery_destroy(delivery_t **self)
{
    if (!*self)
        return;
    encoder_finish(&(*self)->encoder);
    free(*self);
    *self = NULL;
}

void
delivery_take(delivery_t *self, const struct event *event)
{
    subscribers_take(self->subscribers, event, self->load);
}

void
delivery_note(delivery_t *self, const struct event *event)
{
    subscribers_note(self->subscribers, event);
}

// Groups

static void
delivery_begin_group(delivery_t *self, struct lane *lane)
{
    bool has_changes = lane->next_event < lane->leaving.count;
    struct datagram_group group = {
        .lane = lane,
        .prev = lane->sent,
        .first = has_changes ? lane->leaving.events[lane->next_event].seq : UINT64_MAX,
        .from = lane->next_event,
        .removals = lane->removals,
        .is_tail = !has_changes && lane_tail_is_due(lane),
    };
    lane->groups++;
    encoder_begin(&self->encoder, lane);
    unsigned most = encoder_group(lane);
    for (; group.datagrams < most && lane_has_more(lane); group.datagrams++)
        group.bytes += encoder_next(&self->encoder, lane);
    group.last = lane->sent;
    group.cost = send_budget_cost_of(&self->rate, group.bytes, group.datagrams);
    self->group = group;
    if (lane->behind_count)
        lane_keep(lane, group.from);
    subscribers_remember(self->subscribers, lane, group.from, clock_now_us());
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
    struct traffic *traffic = subscriber_traffic(device);
    bool has_room = send_budget_has_room(&traffic->budget, &receiver->address->budget, now_us);
    if (!has_room && self->group.first == UINT64_MAX)
        return; // repeats alone carry nothing new
    if (device->since >= self->group.first || !has_room) {
        counter_add(COUNT_UDP_BEHIND, !has_room);
        delivery_put_behind(self, device, now_us);
        return;
    }
    send_budget_charge(&traffic->budget, &receiver->address->budget, &self->group.cost, now_us);
    rate_meter_add(&traffic->sent, now_us, self->group.datagrams);
    encoder_send(&self->encoder, device);
}

static void
delivery_consider(delivery_t *self, struct subscriber *device, uint64_t now_us)
{
    if (device->group == self->group.lane->groups)
        return;
    device->group = self->group.lane->groups;
    bool has_all = device->since >= self->group.last && !self->group.is_tail;
    if (device->is_behind || has_all)
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

// Sends the next part of the backlog. False if nothing is left.
static bool
delivery_send_some_backlog(delivery_t *self, struct subscriber *device, uint64_t now_us)
{
    const struct lane *lane = device->lane;
    size_t size;
    if (device->since < lane->catch_up.floor)
        device->since = lane->catch_up.floor;
    encoder_begin(&self->encoder, lane);
    device->since = encoder_backlog(&self->encoder, device, &size);
    if (!size)
        return false;
    struct send_budget_cost cost = send_budget_cost_of(&self->rate, size, 1);
    send_budget_charge(&device->traffic->budget, &device->receiver->address->budget, &cost, now_us);
    rate_meter_add(&device->traffic->sent, now_us, 1);
    encoder_send(&self->encoder, device);
    return true;
}

// Answers

static void
delivery_answer(delivery_t *self, struct subscriber *device, uint64_t now_us)
{
    size_t bytes;
    bool is_busy = now_us < self->answers_from_us;
    encoder_begin(&self->encoder, device->lane);
    unsigned count = encoder_answer(&self->encoder, device, is_busy, &bytes);
    struct send_budget_cost cost = send_budget_cost_of(&self->rate, bytes, count);
    send_budget_charge(&device->traffic->budget, &device->receiver->address->budget, &cost, now_us);
    rate_meter_add(&device->traffic->sent, now_us, count);
    encoder_send(&self->encoder, device);
    subscribers_end_asked(self->subscribers, device);
    if (!is_busy)
        self->answers_from_us = now_us + (clock_now_us() - now_us) * ANSWERS_SHARE;
}

// A question about its locks is for now: without room it is not sent.
static void
delivery_tell_ask(delivery_t *self, struct subscriber *device, uint64_t now_us)
{
    struct send_budget *shared = &device->receiver->address->budget;
    // It may have registered again meanwhile, and not proven its address yet.
    bool is_there = device->state == SUBSCRIBER_REACHABLE && !device->receiver->is_paused;
    if (is_there && send_budget_has_room(&device->traffic->budget, shared, now_us)) {
        encoder_begin(&self->encoder, device->lane);
        size_t bytes = encoder_ask(&self->encoder, device);
        struct send_budget_cost cost = send_budget_cost_of(&self->rate, bytes, 1);
        send_budget_charge(&device->traffic->budget, shared, &cost, now_us);
        rate_meter_add(&device->traffic->sent, now_us, 1);
        encoder_send(&self->encoder, device);
    }
    subscribers_end_ask(self->subscribers, device);
}

// Sends as much of the backlog as the budget allows.
static void
delivery_send_backlog(delivery_t *self, struct subscriber *device, uint64_t now_us)
{
    if (device->state == SUBSCRIBER_PENDING)
        device->state = SUBSCRIBER_UNPROVEN; // it has not proven an address in time
    bool is_there = device->state == SUBSCRIBER_REACHABLE && !device->receiver->is_paused;
    for (unsigned i = 0; is_there && i < CATCH_UP_DATAGRAMS; i++) {
        if (!send_budget_has_room(&device->traffic->budget, &device->receiver->address->budget,
                                  now_us))
            break;
        is_there = delivery_send_some_backlog(self, device, now_us);
    }
    if (is_there)
        subscribers_postpone(self->subscribers, device);
    else
        subscribers_end_backlog(self->subscribers, device);
}

// Turns

// Sends a device what it is sent by itself: a question about its locks, the answer to what it
// asked, or some of its backlog.
static void
delivery_serve(delivery_t *self, struct subscriber *device, uint64_t now_us)
{
    if (device->traffic->ask)
        delivery_tell_ask(self, device, now_us);
    else if (!subscriber_asked(device))
        delivery_send_backlog(self, device, now_us);
    else if (device->receiver->is_paused)
        subscribers_end_asked(self->subscribers, device);
    else if (send_budget_has_room(&device->traffic->budget, &device->receiver->address->budget,
                                  now_us))
        delivery_answer(self, device, now_us);
    else
        subscribers_postpone(self->subscribers, device);
}

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
            delivery_serve(self, behind, now_us);
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
    encoder_flush(&self->encoder);
    self->load = backlog || subscribers_is_sending(self->subscribers);
}

void
delivery_rest(delivery_t *self)
{
    self->load = true;
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
