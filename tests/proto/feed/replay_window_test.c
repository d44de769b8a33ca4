// replay_window_test.c - each counter is taken once, in whatever order they come.
#include "proto/feed/replay_window.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static bool
take(struct replay_window *window, uint64_t counter)
{
    if (!replay_window_takes(window, counter))
        return false;
    replay_window_note(window, counter);
    return true;
}

static struct replay_window
begin(uint64_t next)
{
    struct replay_window window;
    replay_window_begin(&window, next);
    return window;
}

Test(replay_window, a_counter_is_taken_once)
{
    struct replay_window window = begin(0);
    for (uint64_t counter = 0; counter < 3000; counter++) {
        cr_assert(take(&window, counter));
        cr_assert_not(take(&window, counter));
    }
}

Test(replay_window, a_counter_1024_behind_the_next_is_the_last_that_may_come)
{
    struct replay_window window = begin(0);
    cr_assert(take(&window, 5000));
    cr_assert_not(take(&window, 3976));
    cr_assert(take(&window, 3977));
    cr_assert_not(take(&window, 3977));
}

Test(replay_window, what_lies_before_the_beginning_counts_as_seen)
{
    struct replay_window window = begin(10);
    for (uint64_t counter = 0; counter < 10; counter++)
        cr_assert_not(take(&window, counter));
    cr_assert(take(&window, 12));
    cr_assert(take(&window, 10));
    cr_assert_not(take(&window, 9));
}

// Against a list of all that was seen.
Test(replay_window, any_order_gives_each_counter_once)
{
    enum { COUNTERS = 20000, JUMP = 1500 };
    static bool seen[COUNTERS + JUMP];
    struct replay_window window = begin(0);
    uint64_t greatest = 0;
    srand(7);
    for (unsigned i = 0; i < 200000; i++) {
        uint64_t base = i / 10, counter = base + (uint64_t)(rand() % JUMP);
        counter = counter > JUMP / 2 ? counter - JUMP / 2 : 0;
        bool is_late = greatest >= REPLAY_WINDOW && counter <= greatest - REPLAY_WINDOW;
        bool is_new = !seen[counter] && !is_late;
        cr_assert_eq(take(&window, counter), is_new, "%u: %lu", i, (unsigned long)counter);
        seen[counter] |= is_new;
        greatest = counter > greatest ? counter : greatest;
    }
}
