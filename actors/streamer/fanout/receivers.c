// receivers.c - receivers by endpoint, addresses by IP (receivers.h).

#include "actors/streamer/fanout/receivers.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/memory.h"
#include "proto/base/table.h"

struct receivers {
    struct table by_endpoint;
    struct table addresses; // by IP
};

// Address and port. IPv4 addresses are mapped into IPv6.
struct place {
    uint8_t ip[UDP_ENDPOINT_IP_BYTES];
    uint16_t port;
};

static struct place
endpoint_place(const union udp_endpoint *endpoint)
{
    struct place place = {.port = (uint16_t)udp_endpoint_port(endpoint)};
    udp_endpoint_ip(endpoint, place.ip);
    return place;
}

static bool
place_is(const struct place *a, const struct place *b)
{
    return a->port == b->port && memcmp(a->ip, b->ip, sizeof a->ip) == 0;
}

static uint64_t
place_hash(const struct place *place)
{
    uint64_t halves[2];
    memcpy(halves, place->ip, sizeof halves);
    return table_hash_u64(halves[0] ^ table_hash_u64(halves[1]) ^ place->port);
}

// Receivers

static bool
receiver_is_at(const void *value, const void *key)
{
    struct place place = endpoint_place(&((const struct receiver *)value)->endpoint);
    return place_is(&place, key);
}

static bool
address_is(const void *value, const void *key)
{
    const struct place *place = key;
    return memcmp(((const struct address *)value)->ip, place->ip, sizeof place->ip) == 0;
}

static struct address *
receivers_address(receivers_t *self, struct place place)
{
    place.port = 0;
    uint64_t hash = place_hash(&place);
    struct address *address = table_find(&self->addresses, hash, address_is, &place);
    if (!address) {
        address = memory_take_zeroed(sizeof *address);
        memcpy(address->ip, place.ip, sizeof address->ip);
        table_add(&self->addresses, hash, address);
    }
    address->receivers++;
    return address;
}

static void
receivers_release_address(receivers_t *self, struct address *address)
{
    struct place place = {0};
    if (--address->receivers)
        return;
    memcpy(place.ip, address->ip, sizeof place.ip);
    table_remove(&self->addresses, place_hash(&place), address);
    free(address);
}

receivers_t *
receivers_create(void)
{
    return memory_take_zeroed(sizeof(receivers_t));
}

void
receivers_destroy(receivers_t **self)
{
    size_t cursor = 0;
    struct receiver *receiver;
    struct address *address;
    if (!*self)
        return;
    while ((receiver = table_next(&(*self)->by_endpoint, &cursor)) != NULL)
        free(receiver);
    cursor = 0;
    while ((address = table_next(&(*self)->addresses, &cursor)) != NULL)
        free(address);
    table_finish(&(*self)->by_endpoint);
    table_finish(&(*self)->addresses);
    free(*self);
    *self = NULL;
}

struct receiver *
receivers_take(receivers_t *self, const union udp_endpoint *endpoint)
{
    struct place place = endpoint_place(endpoint);
    uint64_t hash = place_hash(&place);
    struct receiver *receiver = table_find(&self->by_endpoint, hash, receiver_is_at, &place);
    if (!receiver) {
        receiver = memory_take_zeroed(sizeof *receiver);
        receiver->address = receivers_address(self, place);
        table_add(&self->by_endpoint, hash, receiver);
    }
    receiver->endpoint = *endpoint; // it may speak to another address of ours now
    receiver->devices++;
    receiver->errors = 0;
    receiver->is_paused = false;
    return receiver;
}

void
receivers_release(receivers_t *self, struct receiver **receiver)
{
    struct receiver *released = *receiver;
    *receiver = NULL;
    if (!released || --released->devices)
        return;
    struct place place = endpoint_place(&released->endpoint);
    table_remove(&self->by_endpoint, place_hash(&place), released);
    receivers_release_address(self, released->address);
    free(released);
}

bool
receivers_note_error(receivers_t *self, const union udp_endpoint *endpoint, uint64_t now_us)
{
    struct place place = endpoint_place(endpoint);
    struct receiver *receiver =
        table_find(&self->by_endpoint, place_hash(&place), receiver_is_at, &place);
    if (!receiver || receiver->is_paused)
        return false;
    if (receiver->errors == 0 || now_us - receiver->first_error_us > RECEIVER_ERRORS_US) {
        receiver->errors = 0;
        receiver->first_error_us = now_us;
    }
    receiver->is_paused = ++receiver->errors == RECEIVER_ERRORS;
    return receiver->is_paused;
}
