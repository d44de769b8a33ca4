// event_bell_test.c - one descriptor for many cords.
#include "proto/feed/event_bell.h"

#include <criterion/criterion.h>
#include <poll.h>

static struct allowance memory = {.most = 100};
static event_bell_t *bell;

static void
begin(void)
{
    cr_assert_eq(event_bell_create(&memory, &bell), OK);
}

static void
end(void)
{
    event_bell_unref(&bell);
}

TestSuite(event_bell, .init = begin, .fini = end);

static bool
rings(void)
{
    struct pollfd wanted = {.fd = event_bell_descriptor(bell), .events = POLLIN};
    return poll(&wanted, 1, 0) == 1;
}

Test(event_bell, cords_come_in_the_order_in_which_they_were_pulled)
{
    struct bell_cord one = {0}, two = {0}, three = {0};
    cr_assert_null(event_bell_hush(bell));
    event_bell_pull(bell, &two);
    event_bell_pull(bell, &one);
    cr_assert_eq(event_bell_hush(bell), &two);
    cr_assert_eq(two.next, &one);
    cr_assert_null(one.next);
    event_bell_pull(bell, &three);
    cr_assert_eq(event_bell_hush(bell), &three);
    cr_assert_null(three.next);
}

Test(event_bell, rings_until_it_is_hushed)
{
    struct bell_cord cord = {0};
    cr_assert_not(rings());
    event_bell_ring(bell);
    cr_assert(rings());
    cr_assert_null(event_bell_hush(bell));
    cr_assert_not(rings());
    event_bell_pull(bell, &cord);
    cr_assert(rings());
    (void)event_bell_hush(bell);
    cr_assert_not(rings());
}

Test(event_bell, allowance_is_taken_to_its_limit_and_settled_beyond_it)
{
    size_t held = 60;
    cr_assert_eq(event_bell_memory(bell), &memory);
    cr_assert(allowance_take(&memory, 60));
    cr_assert_not(allowance_take(&memory, 41));
    cr_assert(allowance_take(&memory, 40));
    allowance_settle(&memory, &held, 80);
    cr_assert_eq(atomic_load(&memory.taken), 120);
    allowance_settle(&memory, &held, 0);
    cr_assert_eq(atomic_load(&memory.taken), 40);
    allowance_give(&memory, 40);
}
