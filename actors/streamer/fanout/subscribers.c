// subscribers.c - streams by scene, devices by key, lanes by the time of their next batch
// (subscribers.h). A scene without devices has no stream and costs nothing.

#include "actors/streamer/fanout/subscribers.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"
#include "proto/message/metrics.h"

enum {
    PENDING_US = 10000000, // events are kept for a device without a proven address for so long
    READY_PERCENT = 25,    // of a budget must be free before a device is sent some of its backlog
    RECENT_BYTES_OF_ALL = 64 << 20, // what all lanes together remember of what they sent
};

struct subscribers {
    struct table streams; // by scene id
    uint64_t tickets;
    receivers_t *receivers;
    struct timer_heap batches; // of lanes
    uint32_t collecting;       // lanes where events wait for the next batch
    struct timer_heap behind;  // of devices
    struct timer_heap ageing;  // of lanes
    uint32_t lane_count;
    struct lane *leaving; // the first of the lanes that send a batch
    struct lane **leaving_end;
};

static struct lane *
lane_of(struct timer *timer)
{
    return (struct lane *)(void *)((char *)timer - offsetof(struct lane, timer));
}

static struct subscriber *
subscriber_of(struct timer *timer)
{
    return (struct subscriber *)(void *)((char *)timer - offsetof(struct subscriber, timer));
}

// Streams and lanes

static bool
stream_is_of(const void *value, const void *key)
{
    return ((const struct stream *)value)->scene_id == *(const uint64_t *)key;
}

static struct stream *
stream_find(const subscribers_t *self, uint64_t scene_id)
{
    return table_find(&self->streams, table_hash_u64(scene_id), stream_is_of, &scene_id);
}

static struct stream *
stream_find_or_create(subscribers_t *self, uint64_t scene_id)
{
    struct stream *stream = stream_find(self, scene_id);
    if (!stream) {
        stream = memory_take_zeroed(sizeof *stream);
        stream->scene_id = scene_id;
        table_add(&self->streams, table_hash_u64(scene_id), stream);
    }
    return stream;
}

static struct lane *
stream_find_lane(const struct stream *self, const struct lane_key *key, unsigned *ret_count)
{
    struct lane *lane = self->lanes;
    for (*ret_count = 0; lane && !lane_is(lane, key); lane = lane->next)
        ++*ret_count;
    return lane;
}

static struct lane *
subscribers_lane(subscribers_t *self, struct stream *stream, const struct lane_key *asked)
{
    unsigned count;
    struct lane_key key = *asked;
    struct lane *lane = stream_find_lane(stream, &key, &count);
    if (!lane && count >= LANES_AS_ASKED) {
        key = lane_key_shared(asked);
        lane = stream_find_lane(stream, &key, &count);
    }
    if (lane)
        return lane;
    lane = lane_create(stream, &key);
    lane->next = stream->lanes;
    stream->lanes = lane;
    self->lane_count++;
    return lane;
}

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

// Takes the device out of its lane and drops its backlog.
static void
subscribers_leave_lane(subscribers_t *self, struct subscriber *device)
{
    struct lane *lane = device->lane;
    timer_heap_cancel(&self->behind, &device->timer);
    if (device->is_behind && --lane->behind_count == 0)
        catch_up_clear(&lane->catch_up);
    device->is_behind = false;
    device->asked = (struct asked){0};
    lane_remove(lane, device);
}

static void
subscribers_forget(subscribers_t *self, struct subscriber *device)
{
    struct stream *stream = device->lane->stream;
    subscribers_leave_lane(self, device);
    table_remove(&stream->by_key, table_hash_text(device->key), device);
    receivers_release(self->receivers, &device->receiver);
    device_sealer_unref(&device->sealer);
    free(device);
}

static void
subscribers_destroy_lane(subscribers_t *self, struct lane *lane)
{
    while (lane->device_count)
        subscribers_forget(self, lane->devices[lane->device_count - 1]);
    timer_heap_cancel(&self->batches, &lane->timer);
    timer_heap_cancel(&self->ageing, &lane->ageing);
    self->collecting -= lane->collecting.count > 0;
    self->lane_count--;
    lane_destroy(lane);
}

static void
stream_free(struct stream *stream)
{
    record_unref(&stream->scene);
    table_finish(&stream->by_key);
    free(stream);
}

// Frees lanes without devices, and the stream without lanes, unless they still send.
static void
stream_release(subscribers_t *self, struct stream *stream)
{
    struct lane **place = &stream->lanes;
    while (*place) {
        struct lane *lane = *place;
        if (lane->device_count || !lane_is_idle(lane)) {
            place = &lane->next;
            continue;
        }
        *place = lane->next;
        subscribers_destroy_lane(self, lane);
    }
    if (stream->lanes)
        return;
    table_remove(&self->streams, table_hash_u64(stream->scene_id), stream);
    stream_free(stream);
}

subscribers_t *
subscribers_create(void)
{
    subscribers_t *self = memory_take_zeroed(sizeof *self);
    self->receivers = receivers_create();
    self->leaving_end = &self->leaving;
    return self;
}

void
subscribers_destroy(subscribers_t **self)
{
    if (!*self)
        return;
    size_t cursor = 0;
    struct stream *stream;
    while ((stream = table_next(&(*self)->streams, &cursor)) != NULL) {
        while (stream->lanes) {
            struct lane *lane = stream->lanes;
            stream->lanes = lane->next;
            subscribers_destroy_lane(*self, lane);
        }
        stream_free(stream);
    }
    table_finish(&(*self)->streams);
    timer_heap_finish(&(*self)->batches);
    timer_heap_finish(&(*self)->behind);
    timer_heap_finish(&(*self)->ageing);
    receivers_destroy(&(*self)->receivers);
    free(*self);
    *self = NULL;
}

// Devices

static bool
subscriber_is_of(const void *value, const void *key)
{
    return text_equal(((const struct subscriber *)value)->key, key);
}

static struct subscriber *
stream_device(const struct stream *self, const struct text *key)
{
    return table_find(&self->by_key, table_hash_text(key), subscriber_is_of, key);
}

static struct subscriber *
stream_add_device(struct stream *self, const struct text *key, uint64_t since)
{
    struct subscriber *device =
        memory_take_zeroed(sizeof *device + sizeof *key + text_size(key) + 1);
    struct text *copy = (struct text *)(device + 1);
    copy->size = (uint32_t)text_size(key);
    memcpy(copy->data, text_bytes(key), copy->size);
    device->key = copy;
    device->since = since;
    table_add(&self->by_key, table_hash_text(device->key), device);
    return device;
}

struct subscriber *
subscribers_admit(subscribers_t *self, uint64_t scene_id, const struct text *key, uint64_t since,
                  const struct lane_key *lane_key)
{
    struct stream *stream = stream_find_or_create(self, scene_id);
    struct subscriber *device = stream_device(stream, key);
    struct lane *lane = subscribers_lane(self, stream, lane_key);
    if (!device)
        device = stream_add_device(stream, key, since);
    if (device->lane && device->lane != lane) {
        subscribers_leave_lane(self, device);
        device->since = since;
    }
    if (!device->lane)
        lane_add(lane, device);
    stream_release(self, stream); // the lane that it left may be empty
    device->state = SUBSCRIBER_PENDING;
    device->ticket = ++self->tickets;
    return device;
}

void
subscribers_set_sealer(struct subscriber *device, struct device_sealer *sealer)
{
    device_sealer_ref(sealer);
    device_sealer_unref(&device->sealer);
    device->sealer = sealer;
}

void
subscribers_set_endpoint(subscribers_t *self, struct subscriber *device,
                         const union udp_endpoint *endpoint)
{
    struct receiver *receiver = receivers_take(self->receivers, endpoint);
    receivers_release(self->receivers, &device->receiver);
    device->receiver = receiver;
    device->state = SUBSCRIBER_REACHABLE;
    if (device->is_behind)
        timer_heap_set(&self->behind, &device->timer, 0);
}

static struct subscriber *
find_device(const subscribers_t *self, uint64_t scene_id, const struct text *key)
{
    const struct stream *stream = stream_find(self, scene_id);
    return stream ? stream_device(stream, key) : NULL;
}

struct subscriber *
subscribers_find(const subscribers_t *self, uint64_t scene_id, const struct text *key,
                 uint64_t ticket)
{
    struct subscriber *device = find_device(self, scene_id, key);
    return device && device->ticket == ticket ? device : NULL;
}

static void
forget_and_release(subscribers_t *self, struct subscriber *device)
{
    struct stream *stream = device->lane->stream;
    subscribers_forget(self, device);
    stream_release(self, stream);
}

void
subscribers_remove(subscribers_t *self, uint64_t scene_id, const struct text *key)
{
    struct subscriber *device = find_device(self, scene_id, key);
    if (device)
        forget_and_release(self, device);
}

void
subscribers_end_scene(subscribers_t *self, uint64_t scene_id)
{
    struct stream *stream = stream_find(self, scene_id);
    if (!stream)
        return;
    stream->has_ended = true;
    stream_release(self, stream);
}

bool
subscribers_forget_ended(subscribers_t *self, uint64_t scene_id, const struct text *key)
{
    struct subscriber *device = find_device(self, scene_id, key);
    if (device && !lane_is_idle(device->lane))
        return false;
    if (device)
        forget_and_release(self, device);
    return true;
}

bool
subscribers_note_error(subscribers_t *self, const union udp_endpoint *endpoint, uint64_t now_us)
{
    bool is_paused = receivers_note_error(self->receivers, endpoint, now_us);
    counter_add(COUNT_UDP_PAUSES, is_paused);
    return is_paused;
}

// Batches

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
    struct stream *stream = event->seq ? stream_find(self, event->scene_id) : NULL;
    if (stream)
        stream_note(stream, event);
}

void
subscribers_take(subscribers_t *self, const struct event *event, bool load)
{
    struct stream *stream = stream_find(self, event->scene_id);
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
        stream_release(self, lane->stream);
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
    device->behind_since = device->since;
    device->is_behind = true;
    device->lane->behind_count++;
    if (device->state == SUBSCRIBER_PENDING)
        timer_heap_set(&self->behind, &device->timer, now_us + PENDING_US);
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
    timer_heap_set(
        &self->behind, &device->timer,
        send_budget_ready_us(&device->budget, &device->receiver->address->budget, READY_PERCENT));
}

void
subscribers_end_backlog(subscribers_t *self, struct subscriber *device)
{
    struct lane *lane = device->lane;
    timer_heap_cancel(&self->behind, &device->timer);
    device->is_behind = false;
    if (device->since < lane->sent)
        device->since = lane->sent;
    if (--lane->behind_count == 0)
        catch_up_clear(&lane->catch_up);
    stream_release(self, lane->stream);
}

// What the device is sent by itself anyway answers it.
void
subscribers_ask(subscribers_t *self, struct subscriber *device, const struct asked *asked)
{
    bool is_coming = device->is_behind && device->since < asked->from;
    bool waits = device->asked.from && !device->asked.is_refused;
    if (device->state != SUBSCRIBER_REACHABLE || is_coming || (waits && asked->is_refused))
        return;
    struct asked both = *asked;
    if (waits && device->asked.from < both.from)
        both.from = device->asked.from;
    if (waits && device->asked.to > both.to)
        both.to = device->asked.to;
    device->asked = both;
    timer_heap_set(&self->behind, &device->timer, 0);
}

void
subscribers_end_asked(subscribers_t *self, struct subscriber *device)
{
    device->asked = (struct asked){0};
    if (device->is_behind)
        subscribers_postpone(self, device);
    else
        timer_heap_cancel(&self->behind, &device->timer);
}
