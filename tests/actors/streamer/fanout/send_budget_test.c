// send_budget_test.c - bytes and datagrams a second, of a device and of its address.

#include "actors/streamer/fanout/send_budget.h"

#include <criterion/criterion.h>

enum { START_US = 5000000 };

static const struct send_budget_rate rate = {.bytes = 4000000, .datagrams = 10000};

static void
charge(struct send_budget *device, struct send_budget *address, size_t bytes, unsigned datagrams)
{
    struct send_budget_cost cost = send_budget_cost_of(&rate, bytes, datagrams);
    send_budget_charge(device, address, &cost, START_US);
}

// How many datagrams of this size fit at once.
static unsigned
fitting(struct send_budget *device, struct send_budget *address, size_t bytes)
{
    unsigned count = 0;
    for (; send_budget_has_room(device, address, START_US); count++)
        charge(device, address, bytes, 1);
    return count;
}

Test(send_budget, a_tenth_of_a_second_fits_at_once)
{
    struct send_budget device = {0}, address = {0};
    cr_assert_eq(fitting(&device, &address, 100), 1000, "10,000 datagrams a second");
    device = address = (struct send_budget){0};
    cr_assert_eq(fitting(&device, &address, 4000), 100, "4 MB a second");
}

Test(send_budget, what_was_sent_is_paid_off_with_time)
{
    struct send_budget device = {0}, address = {0};
    fitting(&device, &address, 100);
    cr_assert(!send_budget_has_room(&device, &address, START_US));
    cr_assert(send_budget_has_room(&device, &address, START_US + 100));
    cr_assert_eq(send_budget_ready_us(&device, &address, 25), START_US + 25000);
    cr_assert_eq(send_budget_ready_us(&device, &address, 100), START_US + 100000);
}

Test(send_budget, four_devices_at_one_address_fill_it)
{
    struct send_budget address = {0};
    for (unsigned i = 0; i < SEND_BUDGET_SHARES; i++)
        cr_assert_eq(fitting(&(struct send_budget){0}, &address, 100), 1000);
    cr_assert_eq(fitting(&(struct send_budget){0}, &address, 100), 0);
    cr_assert_eq(fitting(&(struct send_budget){0}, &(struct send_budget){0}, 100), 1000);
}

Test(send_budget, no_datagram_is_too_large_for_a_small_budget)
{
    static const struct send_budget_rate small = {.bytes = 1000};
    struct send_budget device = {0}, address = {0};
    struct send_budget_cost cost = send_budget_cost_of(&small, 8192, 1);
    cr_assert(send_budget_has_room(&device, &address, START_US));
    send_budget_charge(&device, &address, &cost, START_US);
    cr_assert(!send_budget_has_room(&device, &address, START_US + 8000000));
    cr_assert(send_budget_has_room(&device, &address, START_US + 8192000));
}

Test(send_budget, a_rate_of_zero_is_no_limit)
{
    static const struct send_budget_rate none = {0};
    struct send_budget device = {0}, address = {0};
    struct send_budget_cost cost = send_budget_cost_of(&none, 1 << 30, 1 << 20);
    send_budget_charge(&device, &address, &cost, START_US);
    cr_assert(send_budget_has_room(&device, &address, START_US));
}
