// send_budget.c - each bucket is the time at which it will be empty (budget.h).

#include "actors/streamer/fanout/send_budget.h"

enum { NS_PER_US = 1000 };

static const uint64_t second_ns = 1000000000;
static const uint64_t burst_ns = (uint64_t)BUDGET_BURST_US * NS_PER_US;

struct budget_cost
budget_cost_of(const struct budget_rate *rate, size_t bytes, unsigned datagrams)
{
    return (struct budget_cost){
        .bytes_ns = rate->bytes ? bytes * second_ns / rate->bytes : 0,
        .datagrams_ns = rate->datagrams ? datagrams * second_ns / rate->datagrams : 0,
    };
}

// The fuller one of the two.
static uint64_t
budget_empty_ns(const struct budget *self)
{
    return self->bytes_ns > self->datagrams_ns ? self->bytes_ns : self->datagrams_ns;
}

static uint64_t
fuller_ns(const struct budget *device, const struct budget *address)
{
    uint64_t of_device = budget_empty_ns(device), of_address = budget_empty_ns(address);
    return of_device > of_address ? of_device : of_address;
}

bool
budget_has_room(const struct budget *device, const struct budget *address, uint64_t now_us)
{
    return fuller_ns(device, address) < now_us * NS_PER_US + burst_ns;
}

static void
fill(uint64_t *bucket_ns, uint64_t cost_ns, uint64_t now_ns)
{
    *bucket_ns = (*bucket_ns > now_ns ? *bucket_ns : now_ns) + cost_ns;
}

void
budget_charge(struct budget *device, struct budget *address, const struct budget_cost *cost,
              uint64_t now_us)
{
    uint64_t now_ns = now_us * NS_PER_US;
    fill(&device->bytes_ns, cost->bytes_ns, now_ns);
    fill(&device->datagrams_ns, cost->datagrams_ns, now_ns);
    fill(&address->bytes_ns, cost->bytes_ns / BUDGET_SHARES, now_ns);
    fill(&address->datagrams_ns, cost->datagrams_ns / BUDGET_SHARES, now_ns);
}

uint64_t
budget_ready_us(const struct budget *device, const struct budget *address, unsigned percent)
{
    uint64_t full_us = fuller_ns(device, address) / NS_PER_US;
    uint64_t used_us = (uint64_t)BUDGET_BURST_US * (100 - percent) / 100;
    return full_us > used_us ? full_us - used_us : 0;
}
