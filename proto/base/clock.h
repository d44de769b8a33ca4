// clock.h - two clocks: a monotonic one for deadlines and ticks, the calendar for records.
#ifndef DIORAMA_PROTO_BASE_CLOCK_H
#define DIORAMA_PROTO_BASE_CLOCK_H

#include <stdint.h>

// Monotonic; its zero means nothing. Deadlines are absolute times of this clock.
uint64_t clock_now_us(void);
uint64_t clock_now_ms(void);

// Monotonic too, and goes on while the machine sleeps: for what others count at the same time.
uint64_t clock_boot_ms(void);

// Microseconds since 1970 UTC; may step.
uint64_t clock_calendar_us(void);

// The processor time that the calling thread has taken. Reading it is a call of the system.
uint64_t clock_thread_us(void);
// The same of all threads together.
uint64_t clock_process_us(void);

// A deadline `after_ms` from now.
static inline uint64_t
clock_deadline_ms(uint64_t after_ms)
{
    return clock_now_ms() + after_ms;
}

// Milliseconds until `deadline_ms`, 0 when it has passed, at most INT32_MAX: a poll timeout.
int clock_left_ms(uint64_t deadline_ms);

#endif
