// waiting_line_test.c - who gets room first, of those who wait in one line.
#include "proto/budget/waiting_line.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <string.h>

#include "proto/base/clock.h"

enum { WAITERS = 8, LONG_MS = 60000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t room_left;
static char order[WAITERS + 1]; // the first letters of who was served, in order
static int64_t asked;           // of whoever was served last

static bool
take(const struct room *self, int64_t amount)
{
    (void)self;
    if (amount > room_left)
        return false;
    room_left -= amount;
    asked = amount;
    return true;
}

static const struct room room = {take, &lock};
static struct waiting_line line;

struct visitor {
    pthread_t thread;
    const char *payer;
    int64_t amount;
    uint64_t wait_ms;
    bool is_served;
};

static void *
visit(void *argument)
{
    struct visitor *self = argument;
    pthread_mutex_lock(&lock);
    self->is_served = waiting_line_await(&line, &room, self->payer, self->amount,
                                         clock_deadline_ms(self->wait_ms));
    if (self->is_served)
        strncat(order, self->payer, 1);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static unsigned
length(void)
{
    unsigned count = 0;
    pthread_mutex_lock(&lock);
    for (const struct waiter *waiter = line.first; waiter; waiter = waiter->next)
        count++;
    pthread_mutex_unlock(&lock);
    return count;
}

// Each stands in line before the next one comes.
static void
queue_up(struct visitor *visitors, unsigned count)
{
    unsigned before = length();
    for (unsigned i = 0; i < count; i++) {
        pthread_create(&visitors[i].thread, NULL, visit, &visitors[i]);
        while (length() != before + i + 1)
            sched_yield();
    }
}

static void
give(int64_t amount)
{
    pthread_mutex_lock(&lock);
    room_left += amount;
    waiting_line_serve(&line, &room);
    pthread_mutex_unlock(&lock);
}

static void
join(const struct visitor *visitors, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        pthread_join(visitors[i].thread, NULL);
}

static void
begin(void)
{
    room_left = 0;
    line = (struct waiting_line){0};
    order[0] = '\0';
}

TestSuite(waiting_line, .init = begin, .timeout = 60);

Test(waiting_line, who_finds_nobody_in_line_and_room_does_not_wait)
{
    struct visitor ann = {.payer = "ann", .amount = 3};
    room_left = 3;
    visit(&ann);
    cr_assert(ann.is_served);
    cr_assert_eq(room_left, 0);
}

Test(waiting_line, payers_take_turns)
{
    struct visitor visitors[] = {{.payer = "ann", .amount = 1, .wait_ms = LONG_MS},
                                 {.payer = "ann", .amount = 1, .wait_ms = LONG_MS},
                                 {.payer = "ann", .amount = 1, .wait_ms = LONG_MS},
                                 {.payer = "bob", .amount = 1, .wait_ms = LONG_MS},
                                 {.payer = "cyd", .amount = 1, .wait_ms = LONG_MS},
                                 {.payer = "bob", .amount = 1, .wait_ms = LONG_MS}};
    enum { COUNT = sizeof visitors / sizeof visitors[0] };
    queue_up(visitors, COUNT);
    for (unsigned i = 1; i <= COUNT; i++) {
        give(1);
        for (size_t served = 0; served < i; sched_yield()) {
            pthread_mutex_lock(&lock);
            served = strlen(order);
            pthread_mutex_unlock(&lock);
        }
    }
    join(visitors, COUNT);
    cr_assert_str_eq(order, "abcaba");
}

Test(waiting_line, small_amounts_do_not_pass_a_large_one)
{
    struct visitor visitors[] = {{.payer = "ann", .amount = 5, .wait_ms = LONG_MS},
                                 {.payer = "bob", .amount = 1, .wait_ms = LONG_MS}};
    queue_up(visitors, 2);
    give(4);
    cr_assert_eq(room_left, 4);
    cr_assert_eq(length(), 2);
    give(2);
    join(visitors, 2);
    cr_assert_eq(room_left, 0);
    cr_assert_eq(asked, 1, "the large one came first");
}

Test(waiting_line, whoever_gives_up_makes_way_for_those_behind)
{
    struct visitor visitors[] = {{.payer = "ann", .amount = 5, .wait_ms = 50},
                                 {.payer = "bob", .amount = 1, .wait_ms = LONG_MS}};
    room_left = 1;
    queue_up(visitors, 2);
    join(visitors, 2);
    cr_assert_not(visitors[0].is_served);
    cr_assert(visitors[1].is_served);
    cr_assert_null(line.first);
}
