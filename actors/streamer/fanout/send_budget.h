// send_budget.h - how many bytes and datagrams a second may be sent to a device and to an address:
// token buckets that hold 100 ms' worth. Pure: the time is passed in.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_SEND_BUDGET_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_SEND_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SEND_BUDGET_BURST_US = 100000, // of its rate may be sent at once
    SEND_BUDGET_SHARES = 4,        // an address gets the rate of so many devices
};

// The limits of a device in a second; 0 = no limit.
struct send_budget_rate {
    uint64_t bytes;
    uint64_t datagrams;
};

// The times at which each bucket is empty. All zero: nothing was sent yet.
struct send_budget {
    uint64_t bytes_ns;
    uint64_t datagrams_ns;
};

// By how much datagrams move these times.
struct send_budget_cost {
    uint64_t bytes_ns;
    uint64_t datagrams_ns;
};

struct send_budget_cost send_budget_cost_of(const struct send_budget_rate *rate, size_t bytes,
                                            unsigned datagrams);

// Whether more may be sent to a device: neither its buckets nor those of its address are full. One
// send may overfill a bucket, so that no datagram is too large for a small budget.
bool send_budget_has_room(const struct send_budget *device, const struct send_budget *address,
                          uint64_t now_us);

void send_budget_charge(struct send_budget *device, struct send_budget *address,
                        const struct send_budget_cost *cost, uint64_t now_us);

// When `percent` of the buckets will be free. In the past if they are free already.
uint64_t send_budget_ready_us(const struct send_budget *device, const struct send_budget *address,
                              unsigned percent);

#endif
