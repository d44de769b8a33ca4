// condition_test.c - waits end at their deadline, or when somebody signals.
#include "proto/base/condition.h"

#include <criterion/criterion.h>

#include "proto/base/clock.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool is_changed;

static void *
change(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&lock);
    is_changed = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

Test(condition, a_wait_that_nobody_ends_fails_at_its_deadline)
{
    uint64_t deadline_ms = clock_deadline_ms(20);
    pthread_mutex_lock(&lock);
    while (condition_await(&changed, &lock, deadline_ms))
        continue;
    pthread_mutex_unlock(&lock);
    cr_assert_eq(clock_left_ms(deadline_ms), 0);
}

Test(condition, a_deadline_that_has_passed_does_not_wait)
{
    pthread_mutex_lock(&lock);
    cr_assert_not(condition_await(&changed, &lock, 0));
    pthread_mutex_unlock(&lock);
}

Test(condition, a_signal_ends_the_wait)
{
    pthread_t thread;
    bool is_in_time = true;
    pthread_mutex_lock(&lock);
    cr_assert_eq(pthread_create(&thread, NULL, change, NULL), 0);
    while (!is_changed && is_in_time)
        is_in_time = condition_await(&changed, &lock, clock_deadline_ms(60000));
    pthread_mutex_unlock(&lock);
    cr_assert(is_changed && is_in_time);
    pthread_join(thread, NULL);
}
