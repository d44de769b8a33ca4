// send_budget.h - how much may be sent to somebody: bytes and datagrams a second, as leaky buckets
// that hold 100 ms' worth (live-feed, "Who may be sent to"). Pure: the time is passed in.
#ifndef DIORAMA_ACTORS_STREAMER_FANOUT_SEND_BUDGET_H
#define DIORAMA_ACTORS_STREAMER_FANOUT_SEND_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BUDGET_BURST_US = 100000, // of its rate somebody may get at once
    BUDGET_SHARES = 4,        // devices' worth that one address may get
};

// What a second allows; 0 = as much as comes.
struct budget_rate {
    uint64_t bytes;
    uint64_t datagrams;
};

// When each bucket will be empty. All zero: nothing was sent yet.
struct budget {
    uint64_t bytes_ns;
    uint64_t datagrams_ns;
};

// How long a device's budget pays for datagrams.
struct budget_cost {
    uint64_t bytes_ns;
    uint64_t datagrams_ns;
};

struct budget_cost budget_cost_of(const struct budget_rate *rate, size_t bytes, unsigned datagrams);

// Whether a device may be sent more at all: neither its buckets nor those of its address are full.
// What is sent then may overfill them, so that no datagram is too large for a small budget.
bool budget_has_room(const struct budget *device, const struct budget *address, uint64_t now_us);

void budget_charge(struct budget *device, struct budget *address, const struct budget_cost *cost,
                   uint64_t now_us);

// When `percent` of the buckets will be free; now or earlier where they are.
uint64_t budget_ready_us(const struct budget *device, const struct budget *address,
                         unsigned percent);

#endif
