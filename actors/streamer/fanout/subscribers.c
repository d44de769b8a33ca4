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
};

struct subscribers {
    struct table streams; // by scene id
    uint64_t tickets;
    receivers_t *receivers;
    struct timer_heap batches; // of lanes
    uint32_t collecting;       // lanes where events wait for the next batch
    struct timer_heap behind;  // of devices
    struct lane *leaving;      // the first of the lanes that send a batch
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
stream_lane(struct stream *self, const struct lane_key *asked)
{
    unsigned count;
    struct lane_key key = *asked;
    struct lane *lane = stream_find_lane(self, &key, &count);
    if (!lane && count >= LANES_AS_ASKED) {
        key = lane_key_shared(asked);
        lane = stream_find_lane(self, &key, &count);
    }
    if (lane)
        return lane;
    lane = lane_create(self, &key);
    lane->next = self->lanes;
    self->lanes = lane;
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
    self->collecting -= lane->collecting.count > 0;
    lane_destroy(lane);
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
    table_finish(&stream->by_key);
    free(stream);
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
        table_finish(&stream->by_key);
        free(stream);
    }
    table_finish(&(*self)->streams);
    timer_heap_finish(&(*self)->batches);
    timer_heap_finish(&(*self)->behind);
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
    struct lane *lane = stream_lane(stream, lane_key);
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

void
subscribers_take(subscribers_t *self, const struct event *event, bool load)
{
    const struct stream *stream = stream_find(self, event->scene_id);
    if (!stream || stream->has_ended)
        return;
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

void
subscribers_begin_batches(subscribers_t *self, uint64_t now_us)
{
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
    return earlier(timer_heap_due_us(&self->batches), timer_heap_due_us(&self->behind));
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

void
subscribers_repeat(subscribers_t *self, struct subscriber *device, uint64_t from, uint64_t to)
{
    struct lane *lane = device->lane;
    uint64_t since = from ? from - 1 : 0;
    bool has_backlog = device->is_behind && device->since <= since;
    if (device->state != SUBSCRIBER_REACHABLE || from > to || has_backlog)
        return;
    uint64_t known = lane_keep_after(lane, since);
    if (device->is_behind) {
        device->since = known < device->since ? known : device->since;
    } else if (known < lane->sent) {
        device->since = known;
        subscribers_fall_behind(self, device, known, 0);
    } else if (!lane->behind_count) {
        catch_up_clear(&lane->catch_up);
    }
}
