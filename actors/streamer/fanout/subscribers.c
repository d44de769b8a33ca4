// subscribers.c - streams by scene, devices by key (subscribers.h). A scene without devices has no
// stream and costs nothing. Whose turn it is stands in subscribers_order.c.

#include "actors/streamer/fanout/subscribers.h"

#include <stdlib.h>
#include <string.h>

#include "actors/streamer/fanout/subscribers_order.h"
#include "proto/base/memory.h"
#include "proto/message/metrics.h"
#include "proto/records/lock.h"

// Streams and lanes

static bool
stream_is_of(const void *value, const void *key)
{
    return ((const struct stream *)value)->scene_id == *(const uint64_t *)key;
}

struct stream *
subscribers_stream(const subscribers_t *self, uint64_t scene_id)
{
    return table_find(&self->streams, table_hash_u64(scene_id), stream_is_of, &scene_id);
}

static struct stream *
stream_find_or_create(subscribers_t *self, uint64_t scene_id)
{
    struct stream *stream = subscribers_stream(self, scene_id);
    if (!stream) {
        stream = memory_take_zeroed(sizeof *stream);
        stream->scene_id = scene_id;
        table_add(&self->streams, table_hash_u64(scene_id), stream);
    }
    return stream;
}

// `*ret_count`: the lanes that count together with one of this key.
static struct lane *
stream_find_lane(const struct stream *self, const struct lane_key *key, unsigned *ret_count)
{
    struct lane *lane = self->lanes;
    for (*ret_count = 0; lane && !lane_is(lane, key); lane = lane->next)
        *ret_count += (lane->key.form == FEED_TRACK) == (key->form == FEED_TRACK);
    return lane;
}

static struct lane *
subscribers_lane(subscribers_t *self, struct stream *stream, const struct lane_key *asked)
{
    unsigned count;
    struct lane_key key = *asked;
    struct lane *lane = stream_find_lane(stream, &key, &count);
    unsigned most = asked->form == FEED_TRACK ? LANES_OF_OBJECTS : LANES_AS_ASKED;
    if (!lane && count >= most) {
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
    subscriber_drop_ask(device);
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

void
subscribers_release(subscribers_t *self, struct stream *stream)
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
    device->joined = device->since = since;
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
    subscribers_release(self, stream); // the lane that it left may be empty
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
    const struct stream *stream = subscribers_stream(self, scene_id);
    return stream ? stream_device(stream, key) : NULL;
}

struct subscriber *
subscribers_find(const subscribers_t *self, uint64_t scene_id, const struct text *key,
                 uint64_t ticket)
{
    struct subscriber *device = find_device(self, scene_id, key);
    return device && device->ticket == ticket ? device : NULL;
}

void
subscribers_tell_ask(subscribers_t *self, const struct event *event)
{
    const struct lock_ask *ask = lock_ask_of(event_record(event));
    struct subscriber *device = find_device(self, event->scene_id, ask->holder);
    if (!device || !device->hears_asks || device->state != SUBSCRIBER_REACHABLE)
        return;
    subscriber_drop_ask(device);
    device->ask = memory_take(sizeof *device->ask);
    *device->ask = *event;
    device->ask->scene = record_ref(event->scene);
    device->ask->record = record_ref(event->record);
    timer_heap_set(&self->behind, &device->timer, 0);
}

static void
forget_and_release(subscribers_t *self, struct subscriber *device)
{
    struct stream *stream = device->lane->stream;
    subscribers_forget(self, device);
    subscribers_release(self, stream);
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
    struct stream *stream = subscribers_stream(self, scene_id);
    if (!stream)
        return;
    stream->has_ended = true;
    subscribers_release(self, stream);
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
