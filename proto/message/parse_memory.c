// parse_memory.c - two counts of bytes, each with a line of those who wait for it. One lock for
// all: bodies of some KiB do not come here, and larger ones take far longer to read.
#include "proto/message/parse_memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "proto/base/clock.h"
#include "proto/base/condition.h"
#include "proto/base/memory.h"
#include "proto/message/metrics.h"

enum {
    TRIM_BYTES = 32 << 20, // given back since the heap was trimmed
    TRIM_PAUSE_MS = 1000,
    BY_DEFAULT_BYTES = 256 << 20,
};

// One who waits, on the stack of its thread.
struct waiter {
    struct waiter *next;
    pthread_cond_t turn;
};

struct half {
    size_t size, taken;
    struct waiter *first; // of the line: the only one who may take something
};

static struct parse_memory {
    pthread_mutex_t lock;
    struct half halves[PARSE_PHASES];
    size_t returned; // bytes, since the heap was trimmed
    uint64_t trimmed_ms;
    _Atomic bool may_trim;
} memory = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .halves = {{.size = BY_DEFAULT_BYTES / 2}, {.size = BY_DEFAULT_BYTES / 2}},
};

void
parse_memory_init(uint64_t bytes)
{
    for (unsigned i = 0; i < PARSE_PHASES; i++)
        memory.halves[i] = (struct half){.size = (size_t)bytes / PARSE_PHASES};
}

static void
count(struct half *half, int64_t more)
{
    half->taken = (size_t)((int64_t)half->taken + more);
    gauge_add(GAUGE_PARSE_BYTES, more);
}

// A share that turned out to be larger than it was taken may have left less than nothing.
static bool
has_room(const struct half *half, size_t size)
{
    return half->taken <= half->size - size;
}

static void
wake_first(const struct half *half)
{
    if (half->first)
        pthread_cond_signal(&half->first->turn);
}

static void
line_enter(struct half *half, struct waiter *self)
{
    pthread_cond_init(&self->turn, NULL);
    struct waiter **end = &half->first;
    while (*end)
        end = &(*end)->next;
    *end = self;
}

static void
line_leave(struct half *half, struct waiter *self)
{
    struct waiter **at = &half->first;
    while (*at != self)
        at = &(*at)->next;
    *at = self->next;
    pthread_cond_destroy(&self->turn);
    wake_first(half);
}

// Waits for the turn and for room; false at the deadline. The lock is held.
static bool
wait_in_line(struct half *half, size_t size, uint64_t deadline_ms)
{
    struct waiter self = {0};
    bool is_in_time = true;
    line_enter(half, &self);
    while (is_in_time && (half->first != &self || !has_room(half, size)))
        is_in_time = condition_await(&self.turn, &memory.lock, deadline_ms);
    bool is_next = half->first == &self && has_room(half, size);
    if (is_next)
        count(half, (int64_t)size);
    line_leave(half, &self);
    return is_next;
}

fallible
parse_share_take(enum parse_phase phase, size_t size, uint64_t deadline_ms,
                 struct parse_share *ret_share)
{
    struct half *half = &memory.halves[phase];
    pthread_mutex_lock(&memory.lock);
    if (size > half->size)
        size = half->size;
    bool is_taken = !half->first && has_room(half, size);
    if (is_taken)
        count(half, (int64_t)size);
    else
        is_taken = wait_in_line(half, size, deadline_ms);
    pthread_mutex_unlock(&memory.lock);
    if (!is_taken)
        return fail(ERR_UNAVAILABLE, "", "the memory for bodies is taken (http.parse_memory)");
    *ret_share = (struct parse_share){phase, size};
    return OK;
}

void
parse_share_settle(struct parse_share *self, size_t size)
{
    struct half *half = &memory.halves[self->phase];
    if (self->size == 0 || self->size == size)
        return;
    pthread_mutex_lock(&memory.lock);
    count(half, (int64_t)size - (int64_t)self->size);
    if (size < self->size)
        memory.returned += self->size - size;
    wake_first(half);
    atomic_store(&memory.may_trim, memory.returned >= TRIM_BYTES);
    pthread_mutex_unlock(&memory.lock);
    self->size = size;
}

void
parse_share_release(struct parse_share *self)
{
    parse_share_settle(self, 0);
}

// Whether it is time; then it is not for a while.
static bool
begin_trim(void)
{
    uint64_t now_ms = clock_now_ms();
    pthread_mutex_lock(&memory.lock);
    bool is_due = memory.returned >= TRIM_BYTES && now_ms >= memory.trimmed_ms + TRIM_PAUSE_MS;
    if (is_due) {
        memory.returned = 0;
        memory.trimmed_ms = now_ms;
        atomic_store(&memory.may_trim, false);
    }
    pthread_mutex_unlock(&memory.lock);
    return is_due;
}

void
parse_memory_trim(void)
{
    if (atomic_load(&memory.may_trim) && begin_trim())
        memory_trim();
}
