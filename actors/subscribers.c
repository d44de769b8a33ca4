// subscribers.c - streams by scene, devices by key, rounds of events (subscribers.h).
// Runs on the streamer's thread. A scene without devices has no stream and costs nothing.

#include "actors/subscribers.h"
#include <arpa/inet.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "proto/metrics.h"
#include "proto/base/memory.h"

enum {
    FIRST_DEVICES = 4,
};

struct queue {
    struct stream *first;
    struct stream **end; // where the next one is linked
};

struct subscribers {
    struct table streams; // by scene id
    uint64_t tickets;
    struct queue collecting;
    struct stream *leaving; // first of the round under way
};

// Endpoints

static void
endpoint_map_v4(const struct in_addr *v4, struct in6_addr *ret_v6)
{
    *ret_v6 = (struct in6_addr){.s6_addr = {[10] = 0xff, [11] = 0xff}};
    memcpy(&ret_v6->s6_addr[12], v4, sizeof *v4);
}

bool
endpoint_from(int family, const char *address, int port, union endpoint *ret_endpoint)
{
    union endpoint endpoint = {0};
    struct in_addr v4;
    bool is_v4 = inet_pton(AF_INET, address, &v4) == 1;
    if (family == AF_INET) {
        if (!is_v4)
            return false;
        endpoint.v4 = (struct sockaddr_in){
            .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = v4};
    } else {
        endpoint.v6 =
            (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
        if (is_v4)
            endpoint_map_v4(&v4, &endpoint.v6.sin6_addr);
        else if (inet_pton(AF_INET6, address, &endpoint.v6.sin6_addr) != 1)
            return false;
    }
    *ret_endpoint = endpoint;
    return true;
}

socklen_t
endpoint_size(const union endpoint *self)
{
    return self->any.sa_family == AF_INET ? sizeof self->v4 : sizeof self->v6;
}

// Streams

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

static void
stream_destroy(struct stream *self)
{
    round_finish(&self->collecting);
    round_finish(&self->leaving);
    for (uint32_t i = 0; i < self->device_count; i++)
        free(self->devices[i]);
    free(self->devices);
    table_finish(&self->by_key);
    free(self);
}

// A stream that nobody listens to any more goes, unless a queue still holds it.
static void
stream_release(subscribers_t *self, struct stream *stream)
{
    if (stream->is_collecting || stream->is_leaving || (stream->device_count && !stream->has_ended))
        return;
    table_remove(&self->streams, table_hash_u64(stream->scene_id), stream);
    stream_destroy(stream);
}

subscribers_t *
subscribers_create(void)
{
    subscribers_t *self = memory_take_zeroed(sizeof *self);
    self->collecting.end = &self->collecting.first;
    return self;
}

void
subscribers_destroy(subscribers_t **self)
{
    if (!*self)
        return;
    size_t cursor = 0;
    struct stream *stream;
    while ((stream = table_next(&(*self)->streams, &cursor)) != NULL)
        stream_destroy(stream);
    table_finish(&(*self)->streams);
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
subscriber_create(const struct text *key)
{
    struct subscriber *self = memory_take_zeroed(sizeof *self + sizeof *key + text_size(key) + 1);
    struct text *copy = (struct text *)(self + 1);
    copy->size = (uint32_t)text_size(key);
    memcpy(copy->data, text_chars(key), copy->size);
    self->key = copy;
    return self;
}

static struct subscriber *
stream_add_device(struct stream *self, const struct text *key, uint64_t since)
{
    if (self->device_count == self->device_capacity) {
        self->device_capacity = self->device_capacity ? self->device_capacity * 2 : FIRST_DEVICES;
        self->devices =
            memory_resize(self->devices, self->device_capacity * sizeof self->devices[0]);
    }
    struct subscriber *device = subscriber_create(key);
    device->since = since;
    device->place = self->device_count;
    self->devices[self->device_count++] = device;
    table_add(&self->by_key, table_hash_text(device->key), device);
    return device;
}

struct subscriber *
subscribers_admit(subscribers_t *self, uint64_t scene_id, const struct text *key, uint64_t since)
{
    struct stream *stream = stream_find_or_create(self, scene_id);
    struct subscriber *device = stream_device(stream, key);
    if (!device)
        device = stream_add_device(stream, key, since);
    device->state = SUBSCRIBER_PENDING;
    device->ticket = ++self->tickets;
    return device;
}

struct subscriber *
subscribers_find(const subscribers_t *self, uint64_t scene_id, const struct text *key,
                 uint64_t ticket)
{
    const struct stream *stream = stream_find(self, scene_id);
    struct subscriber *device = stream ? stream_device(stream, key) : NULL;
    return device && device->ticket == ticket ? device : NULL;
}

void
subscribers_remove(subscribers_t *self, uint64_t scene_id, const struct text *key)
{
    struct stream *stream = stream_find(self, scene_id);
    struct subscriber *device = stream ? stream_device(stream, key) : NULL;
    if (!device)
        return;
    table_remove(&stream->by_key, table_hash_text(key), device);
    struct subscriber *last = stream->devices[--stream->device_count];
    stream->devices[device->place] = last;
    last->place = device->place;
    free(device);
    stream_release(self, stream);
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

// Events

void
subscribers_take(subscribers_t *self, const struct event *event, bool load)
{
    struct stream *stream = stream_find(self, event->scene_id);
    if (!stream || !stream->device_count)
        return;
    struct round *round = &stream->collecting;
    if (!stream->is_collecting) {
        stream->is_collecting = true;
        stream->next_collecting = NULL;
        *self->collecting.end = stream;
        self->collecting.end = &stream->next_collecting;
    }
    uint64_t datagrams = (uint64_t)(round->count + 1) * stream->device_count;
    if (!round->merged && (load || datagrams > STREAM_UNMERGED_DATAGRAMS))
        counter_add(COUNT_UDP_SUPERSEDED, round_begin_merging(round));
    enum round_outcome outcome = round_take(round, event);
    counter_add(COUNT_UDP_SUPERSEDED, outcome == ROUND_SUPERSEDED);
    counter_add(COUNT_EVENTS_DROPPED, outcome == ROUND_DROPPED);
}

bool
subscribers_collect(const subscribers_t *self)
{
    return self->collecting.first != NULL;
}

bool
subscribers_leave(const subscribers_t *self)
{
    return self->leaving != NULL;
}

static void
stream_begin_round(struct stream *self)
{
    struct round empty = self->leaving;
    self->leaving = self->collecting;
    self->collecting = empty;
    self->next = 0;
    round_sort(&self->leaving);
}

void
subscribers_begin_round(subscribers_t *self)
{
    assert(!self->leaving);
    for (struct stream *stream = self->collecting.first; stream; stream = stream->next_collecting) {
        stream->is_collecting = false;
        stream->is_leaving = true;
        stream->next_leaving = stream->next_collecting;
        stream_begin_round(stream);
    }
    self->leaving = self->collecting.first;
    self->collecting = (struct queue){NULL, &self->collecting.first};
}

// The first stream's round is gone.
static void
subscribers_end_round(subscribers_t *self)
{
    struct stream *stream = self->leaving;
    self->leaving = stream->next_leaving;
    stream->is_leaving = false;
    round_clear(&stream->leaving);
    stream_release(self, stream);
}

const struct event *
subscribers_next(subscribers_t *self, struct stream **ret_stream)
{
    while (self->leaving) {
        struct stream *stream = self->leaving;
        if (stream->device_count && stream->next < stream->leaving.count) {
            *ret_stream = stream;
            return &stream->leaving.events[stream->next++];
        }
        subscribers_end_round(self);
    }
    return NULL;
}
