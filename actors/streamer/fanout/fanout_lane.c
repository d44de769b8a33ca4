// fanout_lane.c - devices, rounds and ticks of one lane (lane.h).

#include "actors/streamer/fanout/fanout_lane.h"
#include <assert.h>
#include <stdlib.h>
#include "proto/base/memory.h"
#include "proto/message/metrics.h"

enum { FIRST_DEVICES = 4 };

struct lane_key
lane_key_shared(const struct lane_key *asked)
{
    static const unsigned rates_hz[] = {120, 60, 30, 10, 1, 0};
    struct lane_key key = *asked;
    unsigned i = 0;
    while (rates_hz[i] > asked->rate_hz)
        i++;
    key.rate_hz = rates_hz[i];
    return key;
}

struct lane *
lane_create(struct stream *stream, const struct lane_key *key)
{
    size_t size = text_size(key->convention);
    struct lane *self = memory_take_zeroed(sizeof *self + sizeof *key->convention + size + 1);
    struct text *convention = (struct text *)(self + 1);
    convention->size = (uint32_t)size;
    memcpy(convention->data, text_chars(key->convention), size);
    self->key = (struct lane_key){key->form, key->rate_hz, convention};
    self->stream = stream;
    error_ignore(convention_find(convention, "", &self->convention), "registering checks it");
    return self;
}

void
lane_destroy(struct lane *self)
{
    round_finish(&self->collecting);
    round_finish(&self->leaving);
    arrears_clear(&self->arrears);
    heal_finish(&self->heal);
    for (uint32_t i = 0; i < self->device_count; i++)
        free(self->devices[i]);
    free(self->devices);
    free(self);
}

bool
lane_is(const struct lane *self, const struct lane_key *key)
{
    return self->key.form == key->form && self->key.rate_hz == key->rate_hz &&
           text_equal(self->key.convention, key->convention);
}

void
lane_add(struct lane *self, struct subscriber *device)
{
    if (self->device_count == self->device_capacity) {
        self->device_capacity = self->device_capacity ? self->device_capacity * 2 : FIRST_DEVICES;
        self->devices =
            memory_resize(self->devices, self->device_capacity * sizeof self->devices[0]);
    }
    device->lane = self;
    device->place = self->device_count;
    self->devices[self->device_count++] = device;
}

void
lane_remove(struct lane *self, struct subscriber *device)
{
    struct subscriber *last = self->devices[--self->device_count];
    self->devices[device->place] = last;
    last->place = device->place;
    self->removals++;
    device->lane = NULL;
}

void
lane_take(struct lane *self, const struct event *event, bool load)
{
    struct round *round = &self->collecting;
    uint64_t datagrams = (uint64_t)(round->count + 1) * self->device_count;
    if (!self->has_taken)
        self->heal.forgotten = event->seq - 1; // what was before it is not known here
    self->has_taken = true;
    bool merges = load || self->key.form == FEED_PACKED || datagrams > LANE_UNMERGED_DATAGRAMS;
    if (!round->merged && merges)
        counter_add(COUNT_UDP_SUPERSEDED, round_begin_merging(round));
    enum round_outcome outcome = round_take(round, event);
    counter_add(COUNT_UDP_SUPERSEDED, outcome == ROUND_SUPERSEDED);
    counter_add(COUNT_EVENTS_DROPPED, outcome == ROUND_DROPPED);
    self->has_lost |= outcome == ROUND_DROPPED;
}

static uint64_t
lane_interval_us(const struct lane *self, bool load)
{
    if (self->key.form == FEED_PACKED)
        return 1000000 / self->key.rate_hz;
    return load ? LANE_TICK_US : 0;
}

uint64_t
lane_due_us(const struct lane *self, bool load)
{
    uint64_t wanted_us = self->collecting.count ? 0 : heal_due_us(&self->heal);
    uint64_t tick_us = self->begun_us ? self->begun_us + lane_interval_us(self, load) : 0;
    return wanted_us > tick_us ? wanted_us : tick_us;
}

// A round that begins some time after its tick does not move those after it.
void
lane_begin_round(struct lane *self, uint64_t now_us)
{
    assert(!self->leaving.count);
    uint64_t tick_us = lane_due_us(self, true);
    bool is_on_time = now_us >= tick_us && now_us - tick_us < lane_interval_us(self, true);
    self->begun_us = is_on_time ? tick_us : now_us;
    struct round empty = self->leaving;
    self->leaving = self->collecting;
    self->collecting = empty;
    self->next_event = 0;
    round_sort(&self->leaving);
    if (self->has_lost && self->leaving.events[0].seq > self->sent)
        self->sent = self->leaving.events[0].seq - 1;
    self->has_lost = false;
}

void
lane_end_round(struct lane *self)
{
    round_clear(&self->leaving);
    self->next_event = 0;
}

bool
lane_has_more(const struct lane *self)
{
    return self->device_count && (self->next_event < self->leaving.count ||
                                  heal_next(&self->heal, self->begun_us) != NULL);
}

bool
lane_is_idle(const struct lane *self)
{
    bool has_work = self->collecting.count || self->behind_count || self->heal.things.count;
    return !self->is_leaving && (!self->device_count || !has_work);
}

void
lane_keep(struct lane *self, uint32_t first)
{
    for (uint32_t i = first; i < self->next_event; i++)
        arrears_take(&self->arrears, &self->leaving.events[i]);
}

uint64_t
lane_keep_after(struct lane *self, uint64_t seq)
{
    struct event *events;
    uint64_t floor = self->key.form == FEED_PACKED ? self->heal.forgotten : self->sent;
    uint64_t known = floor > seq ? floor : seq;
    if (known >= self->sent)
        return known;
    uint32_t count = heal_changes_after(&self->heal, known, &events);
    arrears_take_older(&self->arrears, events, count);
    free(events);
    return known;
}
