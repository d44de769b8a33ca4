// parse_memory.c - two counts of bytes, each with a line of those who wait for it. One lock for
// all, which is never held together with one of the book: bodies of some KiB do not come here, and
// larger ones take far longer to read.
#include "proto/budget/parse_memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"
#include "proto/budget/waiting_line.h"
#include "proto/message/metrics.h"

enum {
    TRIM_BYTES = 32 << 20, // given back since the heap was trimmed
    TRIM_PAUSE_MS = 1000,
    BY_DEFAULT_BYTES = 256 << 20,
};

struct half {
    size_t size, taken;
    size_t waiting; // in line
    struct waiting_line line;
};

// The amount that a payer may have of each half.
static const enum budget budgets[PARSE_PHASES] = {
    [PARSE_ARRIVING] = BUDGET_ARRIVING_BYTES,
    [PARSE_READING] = BUDGET_PARSE_BYTES,
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

// A half, as a line knows it.
struct half_room {
    struct room base;
    struct half *half;
};

// A share that turned out to be larger than it was taken may have left less than nothing.
static bool
half_take(const struct room *room, int64_t amount)
{
    struct half *half = ((const struct half_room *)(const void *)room)->half;
    if (half->taken > half->size - (size_t)amount)
        return false;
    count(half, amount);
    return true;
}

static struct half_room
room_of(enum parse_phase phase)
{
    return (struct half_room){{half_take, &memory.lock}, &memory.halves[phase]};
}

void
parse_payer_init(struct parse_payer *self, budget_book_t *book, const struct caller *caller)
{
    payer_of(caller, self->name);
    self->book = payer_counts(BUDGET_PARSE_BYTES, caller) ? book : NULL;
}

// Waits for the turn and for room in a half.
static fallible
half_await(enum parse_phase phase, const char *payer, size_t size, uint64_t deadline_ms)
{
    const struct half_room room = room_of(phase);
    pthread_mutex_lock(&memory.lock);
    room.half->waiting++;
    bool is_taken =
        waiting_line_await(&room.half->line, &room.base, payer, (int64_t)size, deadline_ms);
    room.half->waiting--;
    pthread_mutex_unlock(&memory.lock);
    if (!is_taken)
        return fail(ERR_UNAVAILABLE, "", "the memory for bodies is taken (http.parse_memory)");
    return OK;
}

fallible
parse_share_take(const struct parse_payer *payer, enum parse_phase phase, size_t size,
                 uint64_t deadline_ms, struct parse_share *ret_share)
{
    struct parse_share share = {.phase = phase, .size = size};
    if (share.size > memory.halves[phase].size)
        share.size = memory.halves[phase].size;
    TRY(budget_hold_await(&share.paid, payer->book, budgets[phase], payer->name,
                          (int64_t)share.size, deadline_ms));
    enum error error = half_await(phase, payer->name, share.size, deadline_ms);
    if (error == OK)
        *ret_share = share;
    else
        budget_hold_end(&share.paid);
    return error;
}

size_t
parse_memory_waiting(void)
{
    pthread_mutex_lock(&memory.lock);
    size_t waiting = memory.halves[PARSE_ARRIVING].waiting;
    pthread_mutex_unlock(&memory.lock);
    return waiting;
}

void
parse_share_settle(struct parse_share *self, size_t size)
{
    const struct half_room room = room_of(self->phase);
    if (self->size == 0 || self->size == size)
        return;
    pthread_mutex_lock(&memory.lock);
    count(room.half, (int64_t)size - (int64_t)self->size);
    if (size < self->size)
        memory.returned += self->size - size;
    waiting_line_serve(&room.half->line, &room.base);
    atomic_store(&memory.may_trim, memory.returned >= TRIM_BYTES);
    pthread_mutex_unlock(&memory.lock);
    budget_hold_settle(&self->paid, (int64_t)size);
    self->size = size;
}

void
parse_share_release(struct parse_share *self)
{
    parse_share_settle(self, 0);
    budget_hold_end(&self->paid);
}

// A share on its way with a message.
struct carried {
    struct parcel base;
    struct parse_share share;
};

static void
carried_destroy(struct parcel *self)
{
    struct carried *carried = (struct carried *)(void *)self;
    parse_share_release(&carried->share);
    free(carried);
}

struct parcel *
parse_share_move(struct parse_share *self)
{
    if (self->size == 0)
        return NULL;
    struct carried *carried = memory_take_zeroed(sizeof *carried);
    *carried = (struct carried){{carried_destroy}, *self};
    *self = (struct parse_share){0};
    return &carried->base;
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
