// fanout_lane.c - the devices, batches and ticks of one lane (fanout_lane.h).

#include "actors/streamer/fanout/fanout_lane.h"

#include <assert.h>
#include <stdlib.h>

#include "proto/base/memory.h"
#include "proto/feed/feed_track.h"
#include "proto/message/metrics.h"

enum { FIRST_DEVICES = 4 };

struct lane_key
lane_key_shared(const struct lane_key *asked)
{
    static const unsigned rates_hz[] = {120, 60, 30, 10, 1, 0};
    struct lane_key key = *asked;
    unsigned i = 0;
    if (asked->form == FEED_TRACK)
        return (struct lane_key){.form = FEED_TRACK, .rate_hz = 1};
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
    memcpy(convention->data, text_bytes(key->convention), size);
    self->key = *key;
    self->key.convention = convention;
    self->stream = stream;
    error_ignore(convention_find(convention, "", &self->convention), "registering checks it");
    return self;
}

void
lane_destroy(struct lane *self)
{
    event_batch_finish(&self->collecting);
    event_batch_finish(&self->leaving);
    catch_up_clear(&self->catch_up);
    retransmit_finish(&self->retransmit);
    recent_changes_finish(&self->recent);
    free(self->devices);
    free(self);
}

struct traffic *
subscriber_traffic(struct subscriber *self)
{
    if (!self->traffic) {
        self->traffic = memory_take_zeroed(sizeof *self->traffic);
        self->traffic->device = self;
    }
    return self->traffic;
}

void
subscriber_drop_ask(struct subscriber *self)
{
    struct event *ask = self->traffic ? self->traffic->ask : NULL;
    if (!ask)
        return;
    record_unref(&ask->scene);
    record_unref(&ask->record);
    free(ask);
    self->traffic->ask = NULL;
}

void
subscriber_end_traffic(struct subscriber *self)
{
    subscriber_drop_ask(self);
    free(self->traffic);
    self->traffic = NULL;
}

bool
lane_is(const struct lane *self, const struct lane_key *key)
{
    return self->key.form == key->form && self->key.rate_hz == key->rate_hz &&
           self->key.is_sealed == key->is_sealed && self->key.has_tail == key->has_tail &&
           self->key.has_filler == key->has_filler && self->key.has_indices == key->has_indices &&
           self->key.source == key->source && strcmp(self->key.object, key->object) == 0 &&
           text_equal(self->key.convention, key->convention);
}

void
lane_add(struct lane *self, struct subscriber *device)
{
    if (self->device_count == self->device_capacity) {
        self->device_capacity += self->device_capacity / 4 + FIRST_DEVICES;
        self->devices =
            memory_resize(self->devices, self->device_capacity * sizeof self->devices[0]);
    }
    device->lane = self;
    device->place = self->device_count;
    device->group = self->groups - 1; // of those before: the one of now has to consider it
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
    struct event_batch *batch = &self->collecting;
    uint64_t datagrams = (uint64_t)(batch->count + 1) * self->device_count;
    if (self->key.form == FEED_TRACK && !feed_track_tells(event, self->key.object))
        return;
    bool merges = load || self->key.form != FEED_PLAIN || datagrams > LANE_UNMERGED_DATAGRAMS;
    if (!batch->merged && merges)
        counter_add(COUNT_UDP_SUPERSEDED, event_batch_begin_merging(batch));
    enum event_batch_outcome outcome = event_batch_take(batch, event);
    counter_add(COUNT_UDP_SUPERSEDED, outcome == BATCH_SUPERSEDED);
    counter_add(COUNT_EVENTS_DROPPED, outcome == BATCH_DROPPED);
    if (outcome == BATCH_DROPPED)
        lane_note_lost(self, event->seq);
}

void
lane_note_lost(struct lane *self, uint64_t seq)
{
    if (self->lost < seq)
        self->lost = seq;
}

bool
lane_is_at_gap(const struct lane *self, uint64_t seq)
{
    return self->leaving_lost > self->sent && self->leaving_lost < seq;
}

void
lane_pass_gap(struct lane *self, uint64_t seq)
{
    if (!lane_is_at_gap(self, seq))
        return;
    self->sent = self->catch_up.floor = self->leaving_lost;
    recent_changes_forget(&self->recent, self->leaving_lost);
}

static uint64_t
lane_interval_us(const struct lane *self, bool load)
{
    if (self->key.form != FEED_PLAIN)
        return 1000000 / self->key.rate_hz;
    return load ? LANE_TICK_US : 0;
}

static uint64_t
lane_tail_due_us(const struct lane *self)
{
    if (!self->key.has_tail || !self->changed_us || !self->device_count)
        return UINT64_MAX;
    return self->changed_us + LANE_FIRST_TAIL_US + self->tails * (uint64_t)LANE_TAIL_US;
}

bool
lane_tail_is_due(const struct lane *self)
{
    return lane_tail_due_us(self) <= self->begun_us;
}

void
lane_note_sent(struct lane *self, bool has_changes)
{
    if (has_changes) {
        self->changed_us = self->begun_us;
        self->tails = 0;
    } else if (lane_tail_is_due(self)) { // one for all that were due while nothing was sent
        uint64_t late_us = self->begun_us - self->changed_us - LANE_FIRST_TAIL_US;
        self->tails = (unsigned)(late_us / LANE_TAIL_US) + 1;
    }
}

uint64_t
lane_due_us(const struct lane *self, bool load)
{
    uint64_t repeat_us = retransmit_due_us(&self->retransmit);
    uint64_t tail_us = lane_tail_due_us(self);
    uint64_t idle_us = repeat_us < tail_us ? repeat_us : tail_us;
    uint64_t wanted_us = self->collecting.count ? 0 : idle_us;
    uint64_t tick_us = self->begun_us ? self->begun_us + lane_interval_us(self, load) : 0;
    return wanted_us > tick_us ? wanted_us : tick_us;
}

// A batch that begins late does not move the ticks after it.
void
lane_begin_batch(struct lane *self, uint64_t now_us)
{
    assert(!self->leaving.count);
    uint64_t tick_us = lane_due_us(self, true);
    bool is_on_time = now_us >= tick_us && now_us - tick_us < lane_interval_us(self, true);
    self->begun_us = is_on_time ? tick_us : now_us;
    struct event_batch empty = self->leaving;
    self->leaving = self->collecting;
    self->collecting = empty;
    self->next_event = 0;
    event_batch_sort(&self->leaving);
    self->leaving_lost = self->lost;
    self->lost = 0;
}

void
lane_end_batch(struct lane *self)
{
    lane_pass_gap(self, UINT64_MAX);
    self->leaving_lost = 0;
    event_batch_clear(&self->leaving);
    self->next_event = 0;
}

bool
lane_has_more(const struct lane *self)
{
    return self->device_count &&
           (self->next_event < self->leaving.count ||
            retransmit_next(&self->retransmit, self->begun_us) != NULL || lane_tail_is_due(self));
}

bool
lane_is_idle(const struct lane *self)
{
    bool has_work = self->collecting.count || self->behind_count || self->retransmit.entities.count;
    return !self->is_leaving && (!self->device_count || !has_work);
}

void
lane_keep(struct lane *self, uint32_t first)
{
    for (uint32_t i = first; i < self->next_event; i++)
        catch_up_take(&self->catch_up, &self->leaving.events[i]);
}

void
lane_remember(struct lane *self, uint32_t first, uint64_t now_us, size_t most)
{
    for (uint32_t i = first; i < self->next_event; i++)
        recent_changes_take(&self->recent, &self->leaving.events[i], now_us, most);
}
