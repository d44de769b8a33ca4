// subscribers_order.c - whose turn it is: lanes by the time of their next batch, devices behind by
// when their budget has room, lanes by when nobody may ask for their oldest changes any more
// (subscribers.h).

#include "actors/streamer/fanout/subscribers_order.h"

#include <stddef.h>

enum {
    PENDING_US = 10000000, // events are kept for a device without a proven address for so long
    READY_PERCENT = 25,    // of a budget must be free before a device is sent some of its backlog
    RECENT_BYTES_OF_ALL = 64 << 20, // what all lanes together remember of what they sent
};

static struct lane *
lane_of(struct timer *timer)
{
    return (struct lane *)(void *)((char *)timer - offsetof(struct lane, timer));
}

static struct subscriber *
subscriber_of(struct timer *timer)
{
    return ((struct traffic *)(void *)((char *)timer - offsetof(struct traffic, timer)))->device;
}

// Events

static void
subscribers_schedule(subscribers_t *self, struct lane *lane, bool load)
{
    if (lane->is_leaving)
        return;
    uint64_t due_us = lane_due_us(lane, load);
    if (due_us == UINT64_MAX)
        timer_heap_cancel(&self->batches, &lane->timer);
    else if (!timer_is_set(&lane->timer) || lane->timer.due_us != due_us)
        timer_heap_set(&self->batches, &lane->timer, due_us);
}

// Numbers that never came were dropped on their way here, which devices of the scene shall see.
static void
stream_note(struct stream *self, const struct event *event)
{
    for (struct lane *lane = self->lanes; lane; lane = lane->next)
        if (self->newest && event->seq > self->newest + 1 && lane->device_count)
            lane_note_lost(lane, event->seq - 1);
    self->newest = event->seq;
    if (!self->scene && event->scene)
        self->scene = record_ref(event->scene);
}

void
subscribers_note(subscribers_t *self, const struct event *event)
{
    struct stream *stream = event->seq ? subscribers_stream(self, event->scene_id) : NULL;
    if (stream)
        stream_note(stream, event);
}

void
subscribers_take(subscribers_t *self, const struct event *event, bool load)
{
    struct stream *stream = subscribers_stream(self, event->scene_id);
    if (!stream || stream->has_ended)
        return;
    stream_note(stream, event);
    for (struct lane *lane = stream->lanes; lane; lane = lane->next) {
        if (!lane->device_count)
            continue;
        self->collecting += !lane->collecting.count;
        lane_take(lane, event, load);
        subscribers_schedule(self, lane, load);
    }
}

// Batches

static void
subscribers_push_leaving(subscribers_t *self, struct lane *lane)
{
    lane->next_leaving = NULL;
    *self->leaving_end = lane;
    self->leaving_end = &lane->next_leaving;
}

static void
subscribers_pop_leaving(subscribers_t *self)
{
    self->leaving = self->leaving->next_leaving;
    if (!self->leaving)
        self->leaving_end = &self->leaving;
}

static void
subscribers_schedule_ageing(subscribers_t *self, struct lane *lane)
{
    uint64_t due_us = recent_changes_due_us(&lane->recent);
    if (due_us == UINT64_MAX)
        timer_heap_cancel(&self->ageing, &lane->ageing);
    else
        timer_heap_set(&self->ageing, &lane->ageing, due_us);
}

void
subscribers_remember(subscribers_t *self, struct lane *lane, uint32_t first, uint64_t now_us)
{
    size_t share = RECENT_BYTES_OF_ALL / self->lane_count;
    lane_remember(lane, first, now_us, share < RECENT_BYTES ? share : RECENT_BYTES);
    if (!timer_is_set(&lane->ageing))
        subscribers_schedule_ageing(self, lane);
}

static void
subscribers_age(subscribers_t *self, uint64_t now_us)
{
    while (timer_heap_due_us(&self->ageing) <= now_us) {
        struct timer *timer = timer_heap_first(&self->ageing);
        struct lane *lane = (struct lane *)(void *)((char *)timer - offsetof(struct lane, ageing));
        recent_changes_age(&lane->recent, now_us);
        subscribers_schedule_ageing(self, lane);
    }
}

void
subscribers_begin_batches(subscribers_t *self, uint64_t now_us)
{
    subscribers_age(self, now_us);
    while (timer_heap_due_us(&self->batches) <= now_us) {
        struct lane *lane = lane_of(timer_heap_first(&self->batches));
        timer_heap_cancel(&self->batches, &lane->timer);
        self->collecting -= lane->collecting.count > 0;
        lane_begin_batch(lane, now_us);
        lane->is_leaving = true;
        subscribers_push_leaving(self, lane);
    }
}

struct lane *
subscribers_next(subscribers_t *self, bool load)
{
    while (self->leaving) {
        struct lane *lane = self->leaving;
        if (lane_has_more(lane))
            return lane;
        subscribers_pop_leaving(self);
        lane_end_batch(lane);
        lane->is_leaving = false;
        subscribers_schedule(self, lane, load);
        subscribers_release(self, lane->stream);
    }
    return NULL;
}

void
subscribers_rotate(subscribers_t *self)
{
    struct lane *lane = self->leaving;
    subscribers_pop_leaving(self);
    subscribers_push_leaving(self, lane);
}

bool
subscribers_is_sending(const subscribers_t *self)
{
    return self->leaving != NULL;
}

bool
subscribers_has_events(const subscribers_t *self)
{
    return self->leaving || self->collecting;
}

static uint64_t
earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t
subscribers_due_us(const subscribers_t *self)
{
    uint64_t due_us = earlier(timer_heap_due_us(&self->batches), timer_heap_due_us(&self->behind));
    return earlier(due_us, timer_heap_due_us(&self->ageing));
}

// Devices behind

void
subscribers_fall_behind(subscribers_t *self, struct subscriber *device, uint64_t since,
                        uint64_t now_us)
{
    if (device->since < since)
        device->since = since;
    struct traffic *traffic = subscriber_traffic(device);
    traffic->behind_since = device->since;
    device->is_behind = true;
    device->lane->behind_count++;
    if (device->state == SUBSCRIBER_PENDING)
        timer_heap_set(&self->behind, &traffic->timer, now_us + PENDING_US);
    else
        subscribers_postpone(self, device);
}

struct subscriber *
subscribers_next_behind(const subscribers_t *self, uint64_t now_us)
{
    return timer_heap_due_us(&self->behind) <= now_us
               ? subscriber_of(timer_heap_first(&self->behind))
               : NULL;
}

void
subscribers_postpone(subscribers_t *self, struct subscriber *device)
{
    struct traffic *traffic = subscriber_traffic(device);
    timer_heap_set(
        &self->behind, &traffic->timer,
        send_budget_ready_us(&traffic->budget, &device->receiver->address->budget, READY_PERCENT));
}

void
subscribers_end_backlog(subscribers_t *self, struct subscriber *device)
{
    struct lane *lane = device->lane;
    timer_heap_cancel(&self->behind, &device->traffic->timer);
    device->is_behind = false;
    if (device->since < lane->sent)
        device->since = lane->sent;
    if (--lane->behind_count == 0)
        catch_up_clear(&lane->catch_up);
    subscribers_release(self, lane->stream);
}

// What the device is sent by itself anyway answers it.
void
subscribers_ask(subscribers_t *self, struct subscriber *device, const struct asked *asked)
{
    bool is_coming = device->is_behind && device->since < asked->from;
    const struct asked *before = subscriber_asked(device);
    bool waits = before && !before->is_refused;
    if (device->state != SUBSCRIBER_REACHABLE || is_coming || (waits && asked->is_refused))
        return;
    struct asked both = *asked;
    if (waits && before->from < both.from)
        both.from = before->from;
    if (waits && before->to > both.to)
        both.to = before->to;
    struct traffic *traffic = subscriber_traffic(device);
    traffic->asked = both;
    timer_heap_set(&self->behind, &traffic->timer, 0);
}

void
subscribers_end_asked(subscribers_t *self, struct subscriber *device)
{
    device->traffic->asked = (struct asked){0};
    if (device->is_behind)
        subscribers_postpone(self, device);
    else
        timer_heap_cancel(&self->behind, &device->traffic->timer);
}

void
subscribers_end_ask(subscribers_t *self, struct subscriber *device)
{
    subscriber_drop_ask(device);
    if (subscriber_asked(device))
        timer_heap_set(&self->behind, &device->traffic->timer, 0);
    else
        subscribers_end_asked(self, device);
}
