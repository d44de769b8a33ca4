// send_budget.c - a bucket is stored as the time at which it is empty (send_budget.h).

#include "actors/streamer/fanout/send_budget.h"

enum { NS_PER_US = 1000 };

static const uint64_t second_ns = 1000000000;
static const uint64_t burst_ns = (uint64_t)SEND_BUDGET_BURST_US * NS_PER_US;

struct send_budget_cost
send_budget_cost_of(const struct send_budget_rate *rate, size_t bytes, unsigned datagrams)
{
    return (struct send_budget_cost){
        .bytes_ns = rate->bytes ? bytes * second_ns / rate->bytes : 0,
        .datagrams_ns = rate->datagrams ? datagrams * second_ns / rate->datagrams : 0,
    };
}

// The fuller of the two buckets decides.
static uint64_t
send_budget_empty_ns(const struct send_budget *self)
{
    return self->bytes_ns > self->datagrams_ns ? self->bytes_ns : self->datagrams_ns;
}

static uint64_t
fuller_ns(const struct send_budget *device, const struct send_budget *address)
{
    uint64_t of_device = send_budget_empty_ns(device), of_address = send_budget_empty_ns(address);
    return of_device > of_address ? of_device : of_address;
}

bool
send_budget_has_room(const struct send_budget *device, const struct send_budget *address,
                     uint64_t now_us)
{
    return fuller_ns(device, address) < now_us * NS_PER_US + burst_ns;
}

static void
fill(uint64_t *bucket_ns, uint64_t cost_ns, uint64_t now_ns)
{
    *bucket_ns = (*bucket_ns > now_ns ? *bucket_ns : now_ns) + cost_ns;
}

void
send_budget_charge(struct send_budget *device, struct send_budget *address,
                   const struct send_budget_cost *cost, uint64_t now_us)
{
    uint64_t now_ns = now_us * NS_PER_US;
    fill(&device->bytes_ns, cost->bytes_ns, now_ns);
    fill(&device->datagrams_ns, cost->datagrams_ns, now_ns);
    fill(&address->bytes_ns, cost->bytes_ns / SEND_BUDGET_SHARES, now_ns);
    fill(&address->datagrams_ns, cost->datagrams_ns / SEND_BUDGET_SHARES, now_ns);
}

uint64_t
send_budget_ready_us(const struct send_budget *device, const struct send_budget *address,
                     unsigned percent)
{
    uint64_t full_us = fuller_ns(device, address) / NS_PER_US;
    uint64_t used_us = (uint64_t)SEND_BUDGET_BURST_US * (100 - percent) / 100;
    return full_us > used_us ? full_us - used_us : 0;
}
