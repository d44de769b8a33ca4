// event_queue.c - rounds of events between two threads (tap.h).

#include "proto/feed/event_queue.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "proto/base/memory.h"

// What waits of one scene.
struct line {
    struct round round;
    size_t bytes;  // of the records in it; not counted where it is merged
    uint64_t last; // seq of the event taken last
    bool behind;   // takes nothing
    bool told;     // and the worker knows
};

struct tap {
    _Atomic unsigned references;
    pthread_mutex_t lock;
    int descriptor; // an eventfd; -1 when closed
    bool merged, closed, rung;
    unsigned count;
    struct line lines[];
};

fallible
tap_create(unsigned scenes, bool merged, tap_t **ret_tap)
{
    int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (descriptor < 0)
        return fail(ERR_UNAVAILABLE, "", "the system has no descriptor left for a stream");
    tap_t *self = memory_take_zeroed(sizeof *self + scenes * sizeof self->lines[0]);
    atomic_init(&self->references, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->descriptor = descriptor;
    self->merged = merged;
    self->count = scenes;
    *ret_tap = self;
    return OK;
}

tap_t *
tap_ref(tap_t *self)
{
    atomic_fetch_add(&self->references, 1);
    return self;
}

// The lock is held, or nobody else is left.
static void
tap_drain(tap_t *self)
{
    for (unsigned i = 0; i < self->count; i++)
        round_finish(&self->lines[i].round);
    if (self->descriptor >= 0)
        close(self->descriptor);
    self->descriptor = -1;
}

void
tap_unref(tap_t **self)
{
    tap_t *tap = *self;
    *self = NULL;
    if (!tap || atomic_fetch_sub(&tap->references, 1) > 1)
        return;
    tap_drain(tap);
    pthread_mutex_destroy(&tap->lock);
    free(tap);
}

// --- the streamer ---

static void
ring(tap_t *self)
{
    if (self->rung)
        return;
    self->rung = true;
    eventfd_write(self->descriptor, 1);
}

static void
line_clear(struct line *line, bool merged)
{
    round_clear(&line->round);
    line->bytes = 0;
    if (merged)
        round_begin_merging(&line->round);
}

void
tap_attach(tap_t *self, unsigned scene, uint64_t seq)
{
    struct line *line = &self->lines[scene];
    pthread_mutex_lock(&self->lock);
    if (!self->closed) {
        line_clear(line, self->merged);
        line->last = seq;
        line->behind = line->told = false;
    }
    pthread_mutex_unlock(&self->lock);
}

// Whether the event found its place.
static bool
line_take(struct line *line, const struct event *event)
{
    if (event->seq != line->last + 1)
        return false; // the streamer's own queue was full: some never came
    line->last = event->seq;
    if (line->round.merged)
        return round_take(&line->round, event) != ROUND_DROPPED;
    line->bytes += record_size(event->record);
    if (line->round.count > 0 && (line->round.count >= TAP_EVENTS || line->bytes > TAP_BYTES))
        return false;
    return round_take(&line->round, event) == ROUND_ADDED;
}

void
tap_push(tap_t *self, unsigned scene, const struct event *event)
{
    struct line *line = &self->lines[scene];
    pthread_mutex_lock(&self->lock);
    if (!self->closed && !line->behind) {
        if (!line_take(line, event)) {
            line->behind = true;
            line_clear(line, self->merged);
        }
        ring(self);
    }
    pthread_mutex_unlock(&self->lock);
}

bool
tap_is_closed(tap_t *self)
{
    pthread_mutex_lock(&self->lock);
    bool closed = self->closed;
    pthread_mutex_unlock(&self->lock);
    return closed;
}

// --- the worker ---

int
tap_descriptor(const tap_t *self)
{
    return self->descriptor; // the worker alone closes it
}

void
tap_hush(tap_t *self)
{
    eventfd_t rings;
    pthread_mutex_lock(&self->lock);
    if (self->rung)
        eventfd_read(self->descriptor, &rings);
    self->rung = false;
    pthread_mutex_unlock(&self->lock);
}

bool
tap_take(tap_t *self, unsigned scene, struct round *round)
{
    struct line *line = &self->lines[scene];
    pthread_mutex_lock(&self->lock);
    bool falls_behind = line->behind && !line->told;
    line->told |= falls_behind;
    struct round taken = line->round;
    line->round = *round;
    *round = taken;
    line_clear(line, self->merged);
    pthread_mutex_unlock(&self->lock);
    round_sort(round);
    return !falls_behind;
}

void
tap_close(tap_t *self)
{
    pthread_mutex_lock(&self->lock);
    self->closed = true;
    tap_drain(self);
    pthread_mutex_unlock(&self->lock);
}

// --- watching ---

static void
watching_release(struct parcel *parcel)
{
    struct watching *self = (struct watching *)(void *)parcel;
    tap_unref(&self->tap);
    events_destroy(&self->missed);
    free(self);
}

struct watching *
watching_create(tap_t *tap, unsigned scene)
{
    struct watching *self = memory_take_zeroed(sizeof *self);
    self->base.destroy = watching_release;
    self->tap = tap_ref(tap);
    self->scene = scene;
    return self;
}
