// subscribers.c - streams by scene, and their devices (subscribers.h). A scene without devices has
// no stream and costs nothing. Whose turn it is stands in subscribers_order.c.

#include "actors/streamer/fanout/subscribers.h"

#include <stdlib.h>
#include <string.h>

#include "actors/streamer/fanout/subscribers_order.h"
#include "proto/base/memory.h"
#include "proto/message/metrics.h"

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
    if (device->traffic) {
        timer_heap_cancel(&self->behind, &device->traffic->timer);
        device->traffic->asked = (struct asked){0};
        subscriber_drop_ask(device);
    }
    if (device->is_behind && --lane->behind_count == 0)
        catch_up_clear(&lane->catch_up);
    device->is_behind = false;
    lane_remove(lane, device);
}

static void
subscribers_forget(subscribers_t *self, struct subscriber *device)
{
    subscribers_leave_lane(self, device);
    subscriber_end_traffic(device);
    receivers_release(self->receivers, &device->receiver);
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

void
subscribers_admit(subscribers_t *self, struct subscriber *device, uint64_t scene_id, uint64_t since,
                  const struct lane_key *lane_key)
{
    struct stream *stream = stream_find_or_create(self, scene_id);
    struct lane *lane = subscribers_lane(self, stream, lane_key);
    if (!device->lane)
        device->joined = device->since = since;
    if (device->lane && device->lane != lane) {
        subscribers_leave_lane(self, device);
        device->since = since;
    }
    if (!device->lane)
        lane_add(lane, device);
    subscribers_release(self, stream); // the lane that it left may be empty
    device->state = SUBSCRIBER_PENDING;
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
        timer_heap_set(&self->behind, &device->traffic->timer, 0);
}

void
subscribers_tell_ask(subscribers_t *self, struct subscriber *device, const struct event *event)
{
    if (!device->lane || !device->hears_asks || device->state != SUBSCRIBER_REACHABLE)
        return;
    struct traffic *traffic = subscriber_traffic(device);
    subscriber_drop_ask(device);
    traffic->ask = memory_take(sizeof *traffic->ask);
    *traffic->ask = *event;
    traffic->ask->scene = record_ref(event->scene);
    traffic->ask->record = record_ref(event->record);
    timer_heap_set(&self->behind, &traffic->timer, 0);
}

static void
forget_and_release(subscribers_t *self, struct subscriber *device)
{
    struct stream *stream = device->lane->stream;
    subscribers_forget(self, device);
    subscribers_release(self, stream);
}

void
subscribers_remove(subscribers_t *self, struct subscriber *device)
{
    if (device->lane)
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
subscribers_forget_ended(subscribers_t *self, struct subscriber *device)
{
    if (device->lane && !lane_is_idle(device->lane))
        return false;
    subscribers_remove(self, device);
    return true;
}

bool
subscribers_note_error(subscribers_t *self, const union udp_endpoint *endpoint, uint64_t now_us)
{
    bool is_paused = receivers_note_error(self->receivers, endpoint, now_us);
    counter_add(COUNT_UDP_PAUSES, is_paused);
    return is_paused;
}
