// clock.c - the clocks, from the system.
#include "proto/base/clock.h"

#include <time.h>

static uint64_t
now_us(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint64_t
clock_now_us(void)
{
    return now_us(CLOCK_MONOTONIC);
}

uint64_t
clock_now_ms(void)
{
    return clock_now_us() / 1000;
}

uint64_t
clock_boot_ms(void)
{
    return now_us(CLOCK_BOOTTIME) / 1000;
}

uint64_t
clock_calendar_us(void)
{
    return now_us(CLOCK_REALTIME);
}

uint64_t
clock_thread_us(void)
{
    return now_us(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t
clock_process_us(void)
{
    return now_us(CLOCK_PROCESS_CPUTIME_ID);
}

int
clock_left_ms(uint64_t deadline_ms)
{
    uint64_t now = clock_now_ms();
    if (deadline_ms <= now)
        return 0;
    uint64_t left = deadline_ms - now;
    return left > INT32_MAX ? INT32_MAX : (int)left;
}
