// encoder.h - makes the datagrams of lanes, in their form, sealed or not, and gives them to the
// sender. What is made after encoder_begin is a group: encoder_send sends all of it to a device.
// Used by the streamer's thread alone.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_ENCODER_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_ENCODER_H

#include "actors/streamer/fanout/sealed_group.h"
#include "actors/streamer/fanout/subscribers.h"
#include "actors/streamer/fanout/udp_sender.h"
#include "proto/config/config.h"
#include "proto/feed/feed_packed.h"

// Embedded.
struct encoder {
    const struct config *config;
    uint64_t epoch;
    udp_sender_t *sender;
    struct feed_packed packed; // the datagram that is being filled
    struct sealed_group clear; // datagrams of a sealed lane, before they are sealed
};

// `config` and `udp_socket` are borrowed; `epoch` numbers this start of the server.
void encoder_init(struct encoder *self, const struct config *config, int udp_socket,
                  uint64_t epoch);
void encoder_finish(struct encoder *self);

// Begins a group of datagrams of this lane.
void encoder_begin(struct encoder *self, const struct lane *lane);

// How many datagrams a group may have. More at once cost less each, but the other lanes wait
// longer: up to about a tick of the plain form.
unsigned encoder_group(const struct lane *lane);

// Makes the next datagram of the lane's batch, which has more. Returns its size on the network.
size_t encoder_next(struct encoder *self, struct lane *lane);

// Makes the next datagram of a device's backlog with all members, because the device may have
// missed any. Returns the seq that it goes up to. `ret_size` is 0 if the backlog is empty.
uint64_t encoder_backlog(struct encoder *self, const struct subscriber *device, size_t *ret_size);

// Makes the answer to what a device asked for, at least one datagram, and counts it. Returns how
// many datagrams of how many bytes. `is_busy`: others were answered just now.
unsigned encoder_answer(struct encoder *self, const struct subscriber *device, bool is_busy,
                        size_t *ret_bytes);

// Makes the datagram that tells a device of `device->traffic->ask`. Returns its size on the
// network.
size_t encoder_ask(struct encoder *self, const struct subscriber *device);

// Sends the group to a device that has an address.
void encoder_send(struct encoder *self, const struct subscriber *device);

// Gives the kernel what was collected.
void encoder_flush(struct encoder *self);

#endif
