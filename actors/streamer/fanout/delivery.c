// delivery.c - volleys: what a lane has to send next, encoded once, and the devices that it goes to
// (delivery.h). A volley may take several turns; it is finished before the next one begins.

#include "actors/streamer/fanout/delivery.h"
#include <stdlib.h>
#include "actors/streamer/fanout/udp_sender.h"
#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/feed/feed_plain.h"
#include "proto/feed/feed_packed.h"
#include "proto/message/metrics.h"

enum {
    SLICE_US = 4000,        // of sending in one turn
    VOLLEY_SENDS = 16384,   // datagrams of one volley, to all devices together
    ARREARS_DATAGRAMS = 16, // to a device behind, in one go
    CLOCK_DEVICES = 32,     // from look to look at the clock
};

// What is being sent to the devices of a lane.
struct volley {
    struct lane *lane; // NULL: none
    uint64_t number;
    uint64_t prev;        // seq sent before it
    uint64_t first, last; // seqs of its changes; of repeats alone, first is beyond all
    uint32_t from;        // place of the first of them in lane->leaving
    uint32_t next_device;
    uint32_t removals; // of the lane when next_device was 0
    size_t bytes;
    unsigned datagrams;
    struct budget_cost cost;
};

struct delivery {
    const struct config *config;
    uint64_t epoch;
    struct budget_rate rate; // of a device
    subscribers_t *subscribers;
    burst_t *burst;
    struct packed packed; // the datagram that is being filled
    bool load;            // the last turn left work: newest wins
    struct volley volley;
};

delivery_t *
delivery_create(const struct config *config, int udp_socket, uint64_t epoch,
                subscribers_t *subscribers)
{
    delivery_t *self = memory_take_zeroed(sizeof *self);
    self->config = config;
    self->epoch = epoch;
    self->rate = (struct budget_rate){(uint64_t)config->udp_device_bytes,
                                      (uint64_t)config->udp_device_datagrams};
    self->subscribers = subscribers;
    self->burst = burst_create(udp_socket);
    return self;
}

void
delivery_destroy(delivery_t **self)
{
    if (!*self)
        return;
    burst_destroy(&(*self)->burst);
    packed_finish(&(*self)->packed);
    free(*self);
    *self = NULL;
}

void
delivery_take(delivery_t *self, const struct event *event)
{
    subscribers_take(self->subscribers, event, self->load);
}

// Encoding

// The event as the devices of the lane see it, in their axes; its record is one reference.
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
    struct buffer *datagram = burst_datagram(self->burst);
    struct event shown = delivery_shown(lane, event);
    feed_plain(&shown, prev, self->config->udp_base64_filler, datagram);
    record_unref(&shown.record);
    return datagram->size;
}

// False where the datagram is full.
static bool
delivery_pack(delivery_t *self, const struct lane *lane, const struct event *event,
              uint64_t members)
{
    struct event shown = delivery_shown(lane, event);
    bool fits = packed_add(&self->packed, &shown, members);
    record_unref(&shown.record);
    return fits;
}

static size_t
delivery_close(delivery_t *self, uint64_t prev, uint64_t seq)
{
    struct buffer *datagram = burst_datagram(self->burst);
    packed_close(&self->packed, self->epoch, prev, seq, datagram);
    return datagram->size;
}

// Changes, as many as fit; false where the datagram is full.
static bool
delivery_pack_changes(delivery_t *self, struct lane *lane)
{
    for (; lane->next_event < lane->leaving.count; lane->next_event++) {
        struct event event = lane->leaving.events[lane->next_event];
        struct mending *mending = heal_find(&lane->heal, &event);
        struct sending sending = heal_sending(mending, &event, lane->begun_us);
        const struct event sent = event;
        event.msg_type = sending.msg_type;
        if (!delivery_pack(self, lane, &event, sending.members))
            return false;
        heal_note_change(&lane->heal, mending, &sent, &sending, lane->begun_us);
        lane->sent = event.seq;
    }
    return true;
}

static void
delivery_pack_repeats(delivery_t *self, struct lane *lane)
{
    struct mending *mending;
    while ((mending = heal_next(&lane->heal, lane->begun_us)) != NULL) {
        struct event event = mending->event;
        event.msg_type = mending->msg_type;
        if (!delivery_pack(self, lane, &event, mending->members))
            return;
        heal_note_repeat(&lane->heal, mending, lane->begun_us);
    }
}

static size_t
delivery_encode_packed(delivery_t *self, struct lane *lane)
{
    uint64_t prev = lane->sent;
    if (delivery_pack_changes(self, lane))
        delivery_pack_repeats(self, lane);
    return delivery_close(self, prev, lane->sent);
}

static size_t
delivery_encode_next_plain(delivery_t *self, struct lane *lane)
{
    const struct event *event = &lane->leaving.events[lane->next_event++];
    uint64_t prev = lane->sent;
    lane->sent = event->seq;
    return delivery_encode_plain(self, lane, event, prev);
}

// How the datagrams of a form come about.
static const struct form {
    size_t (*encode)(delivery_t *self, struct lane *lane); // the lane's next one; its size
    unsigned least, most;                                  // of one volley
    enum metric_cell sent;
} forms[] = {
    [FEED_PLAIN] = {delivery_encode_next_plain, 1, 4, COUNT_UDP_OUT},
    [FEED_PACKED] = {delivery_encode_packed, 4, VOLLEY_DATAGRAMS, COUNT_UDP_OUT_PACKED},
};

// The more datagrams each device is sent at once the less each costs, and the longer other lanes
// wait: for about a tick of the plain form.
static unsigned
form_volley(const struct form *form, const struct lane *lane)
{
    unsigned fitting = VOLLEY_SENDS / (lane->device_count + 1);
    if (fitting < form->least)
        return form->least;
    return fitting < form->most ? fitting : form->most;
}

static void
delivery_begin_volley(delivery_t *self, struct lane *lane)
{
    const struct form *form = &forms[lane->key.form];
    bool has_changes = lane->next_event < lane->leaving.count;
    struct volley volley = {
        .lane = lane,
        .number = self->volley.number + 1,
        .prev = lane->sent,
        .first = has_changes ? lane->leaving.events[lane->next_event].seq : UINT64_MAX,
        .from = lane->next_event,
        .removals = lane->removals,
    };
    burst_begin(self->burst, form->sent);
    unsigned most = form_volley(form, lane);
    for (; volley.datagrams < most && lane_has_more(lane); volley.datagrams++)
        volley.bytes += form->encode(self, lane);
    volley.last = lane->sent;
    volley.cost = budget_cost_of(&self->rate, volley.bytes, volley.datagrams);
    self->volley = volley;
    if (lane->behind_count)
        lane_keep(lane, volley.from);
}

// Devices

// It gets this volley apart: it may have no more now, or does not get all of it.
static void
delivery_leave_behind(delivery_t *self, struct subscriber *device, uint64_t now_us)
{
    if (device->lane->behind_count == 0)
        lane_keep(device->lane, self->volley.from);
    subscribers_fall_behind(self->subscribers, device, self->volley.prev, now_us);
}

static void
delivery_give(delivery_t *self, struct subscriber *device, uint64_t now_us)
{
    struct receiver *receiver = device->receiver;
    if (receiver->is_paused)
        return;
    bool has_room = budget_has_room(&device->budget, &receiver->address->budget, now_us);
    if (!has_room && self->volley.first == UINT64_MAX)
        return; // without the repeats nothing is missing
    if (device->since >= self->volley.first || !has_room) {
        counter_add(COUNT_UDP_BEHIND, !has_room);
        delivery_leave_behind(self, device, now_us);
        return;
    }
    budget_charge(&device->budget, &receiver->address->budget, &self->volley.cost, now_us);
    burst_to(self->burst, &receiver->endpoint);
}

static void
delivery_consider(delivery_t *self, struct subscriber *device, uint64_t now_us)
{
    if (device->volley == self->volley.number)
        return;
    device->volley = self->volley.number;
    if (device->is_behind || device->since >= self->volley.last)
        return;
    if (device->state == SUBSCRIBER_REACHABLE)
        delivery_give(self, device, now_us);
    else if (device->state == SUBSCRIBER_PENDING && self->volley.first != UINT64_MAX)
        delivery_leave_behind(self, device, now_us);
    else if (device->state == SUBSCRIBER_UNREACHABLE)
        counter_add(COUNT_UDP_OUT_FAILED, self->volley.datagrams);
}

// Whether all devices have been considered. One that goes may change the places of others.
static bool
delivery_volley_is_done(delivery_t *self)
{
    struct volley *volley = &self->volley;
    if (volley->next_device < volley->lane->device_count)
        return false;
    if (volley->removals == volley->lane->removals)
        return true;
    volley->removals = volley->lane->removals;
    volley->next_device = 0;
    return volley->lane->device_count == 0;
}

// Goes on with the volley until then; false where that was not long enough.
static bool
delivery_fire(delivery_t *self, uint64_t end_us)
{
    struct volley *volley = &self->volley;
    uint64_t now_us = clock_now_us();
    while (!delivery_volley_is_done(self)) {
        if (now_us >= end_us)
            return false;
        const struct lane *lane = volley->lane;
        for (unsigned i = 0; i < CLOCK_DEVICES && volley->next_device < lane->device_count; i++)
            delivery_consider(self, lane->devices[volley->next_device++], now_us);
        now_us = clock_now_us();
    }
    volley->lane = NULL;
    subscribers_rotate(self->subscribers);
    return true;
}

// Devices behind

// Encodes the next of what is owed to a device: all members, as it may have missed any. Returns the
// seq that it goes up to; `ret_size` 0: nothing is owed.
static uint64_t
delivery_encode_owed(delivery_t *self, const struct subscriber *device, size_t *ret_size)
{
    const struct lane *lane = device->lane;
    uint64_t last = device->since;
    struct event owed;
    *ret_size = 0;
    if (!arrears_after(&lane->arrears, last, device->behind_since, &owed))
        return last;
    if (lane->key.form == FEED_PLAIN) {
        *ret_size = delivery_encode_plain(self, lane, &owed, device->since);
        return owed.seq;
    }
    do {
        if (!delivery_pack(self, lane, &owed, packed_difference(NULL, owed.record)))
            break;
        last = owed.seq;
    } while (arrears_after(&lane->arrears, last, device->behind_since, &owed));
    *ret_size = delivery_close(self, device->since, last);
    return last;
}

// Sends it the next of what it is owed; false where nothing is left.
static bool
delivery_pay_some(delivery_t *self, struct subscriber *device, uint64_t now_us)
{
    const struct lane *lane = device->lane;
    size_t size;
    if (device->since < lane->arrears.floor)
        device->since = lane->arrears.floor;
    burst_begin(self->burst, forms[lane->key.form].sent);
    device->since = delivery_encode_owed(self, device, &size);
    if (!size)
        return false;
    struct budget_cost cost = budget_cost_of(&self->rate, size, 1);
    budget_charge(&device->budget, &device->receiver->address->budget, &cost, now_us);
    burst_to(self->burst, &device->receiver->endpoint);
    return true;
}

// Some of it, as its budget allows.
static void
delivery_pay(delivery_t *self, struct subscriber *device, uint64_t now_us)
{
    if (device->state == SUBSCRIBER_PENDING)
        device->state = SUBSCRIBER_UNPROVEN; // its time is over
    bool is_there = device->state == SUBSCRIBER_REACHABLE && !device->receiver->is_paused;
    for (unsigned i = 0; is_there && i < ARREARS_DATAGRAMS; i++) {
        if (!budget_has_room(&device->budget, &device->receiver->address->budget, now_us))
            break;
        is_there = delivery_pay_some(self, device, now_us);
    }
    if (is_there)
        subscribers_postpone(self->subscribers, device);
    else
        subscribers_catch_up(self->subscribers, device);
}

// Turns

// Volleys and devices behind by turns, so that neither keeps the others waiting.
static void
delivery_work(delivery_t *self, uint64_t end_us)
{
    struct lane *lane;
    struct subscriber *behind;
    for (;;) {
        if (self->volley.lane && !delivery_fire(self, end_us))
            return;
        uint64_t now_us = clock_now_us();
        behind = subscribers_next_behind(self->subscribers, now_us);
        if (behind)
            delivery_pay(self, behind, now_us);
        lane = subscribers_next(self->subscribers, self->load);
        if (now_us >= end_us || (!lane && !behind))
            return;
        if (lane)
            delivery_begin_volley(self, lane);
    }
}

void
delivery_turn(delivery_t *self, bool backlog)
{
    uint64_t now_us = clock_now_us();
    subscribers_begin_rounds(self->subscribers, now_us);
    delivery_work(self, now_us + SLICE_US);
    burst_send(self->burst);
    self->load = backlog || subscribers_leave(self->subscribers);
}

int
delivery_timeout_ms(const delivery_t *self, int most_ms)
{
    if (subscribers_leave(self->subscribers))
        return 0;
    uint64_t due_us = subscribers_due_us(self->subscribers), now_us = clock_now_us();
    if (due_us <= now_us)
        return 0;
    uint64_t left_ms = due_us - now_us > (uint64_t)most_ms * 1000 ? (uint64_t)most_ms
                                                                  : (due_us - now_us + 999) / 1000;
    return (int)left_ms;
}

bool
delivery_waits(const delivery_t *self)
{
    return subscribers_wait(self->subscribers);
}
