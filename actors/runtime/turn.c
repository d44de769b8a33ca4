// turn.c - the two clocks of a turn (turn.h). That of the thread is a call of the system, dearer
// than many a turn. So it is read once in a millisecond of turns: a turn shorter than that is
// counted with the time that passed, a longer one with at most a millisecond too much.

#include "actors/runtime/turn.h"

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/message/metrics.h"

void
turn_init(struct turn *self, const char *actor, bool may_be_slow)
{
    *self = (struct turn){.actor = metric_actor(actor), .may_be_slow = may_be_slow};
    self->cpu_us = clock_thread_us();
}

void
turn_begin(struct turn *self)
{
    self->began_us = self->now_us = clock_now_us();
    self->slice_us = self->now_us + TURN_SLICE_US;
    self->longest_us = 0;
    self->named = OPERATION_COUNT;
}

void
turn_mark(struct turn *self, enum operation operation)
{
    uint64_t now_us = clock_now_us(), took_us = now_us - self->now_us;
    if (took_us >= self->longest_us) {
        self->longest_us = took_us;
        self->named = operation;
    }
    self->now_us = now_us;
}

void
turn_next_slice(struct turn *self)
{
    self->slice_us = self->now_us + TURN_SLICE_US;
}

bool
turn_is_long(const struct turn *self)
{
    return self->slice_us && clock_now_us() >= self->slice_us;
}

// The processor time of a turn that took `wall_us`, at most.
static uint64_t
processor_us(struct turn *self, uint64_t wall_us)
{
    self->unread_us += wall_us;
    if (self->unread_us < TURN_READ_CPU_US)
        return wall_us;
    uint64_t cpu_us = clock_thread_us(), since_us = cpu_us - self->cpu_us;
    self->unread_us = 0;
    self->cpu_us = cpu_us;
    return since_us < wall_us ? since_us : wall_us;
}

void
turn_end(struct turn *self, const char *actor, unsigned messages)
{
    turn_mark(self, OPERATION_COUNT); // what follows from the messages
    uint64_t wall_us = self->now_us - self->began_us;
    uint64_t cpu_us = processor_us(self, wall_us);
    actor_time_observe(HISTOGRAM_TURN_CPU, self->actor, cpu_us);
    actor_time_observe(HISTOGRAM_TURN_WALL, self->actor, wall_us);
    if (cpu_us < TURN_SLOW_CPU_MS * 1000 || self->may_be_slow)
        return;
    log_warning("turn_slow", "actor=%s operation=%s messages=%u cpu_ms=%.1f wall_ms=%.1f", actor,
                self->named == OPERATION_COUNT ? "NONE" : operation_rows[self->named].name,
                messages, (double)cpu_us / 1000, (double)wall_us / 1000);
}
