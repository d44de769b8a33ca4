// event_queue.c - batches of events between two threads (queue.h).

#include "proto/feed/event_queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "proto/base/memory.h"

// What waits of one scene.
struct line {
    struct event_batch batch;
    size_t bytes;  // of the records in it; not counted where it is merged
    uint64_t last; // seq of the event taken last
    bool behind;   // takes nothing
    bool told;     // and the worker knows
};

struct event_queue {
    _Atomic unsigned references;
    pthread_mutex_t lock;
    int descriptor; // an eventfd; -1 when closed
    bool merged, closed, rung;
    unsigned count;
    struct line lines[];
};

fallible
event_queue_create(unsigned scenes, bool merged, event_queue_t **ret_queue)
{
    int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (descriptor < 0)
        return fail(ERR_UNAVAILABLE, "", "the system has no descriptor left for a stream");
    event_queue_t *self = memory_take_zeroed(sizeof *self + scenes * sizeof self->lines[0]);
    atomic_init(&self->references, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->descriptor = descriptor;
    self->merged = merged;
    self->count = scenes;
    *ret_queue = self;
    return OK;
}

event_queue_t *
event_queue_ref(event_queue_t *self)
{
    atomic_fetch_add(&self->references, 1);
    return self;
}

// The lock is held, or nobody else is left.
static void
event_queue_drain(event_queue_t *self)
{
    for (unsigned i = 0; i < self->count; i++)
        event_batch_finish(&self->lines[i].batch);
    if (self->descriptor >= 0)
        close(self->descriptor);
    self->descriptor = -1;
}

void
event_queue_unref(event_queue_t **self)
{
    event_queue_t *queue = *self;
    *self = NULL;
    if (!queue || atomic_fetch_sub(&queue->references, 1) > 1)
        return;
    event_queue_drain(queue);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

// --- the streamer ---

static void
ring(event_queue_t *self)
{
    if (self->rung)
        return;
    self->rung = true;
    eventfd_write(self->descriptor, 1);
}

static void
line_clear(struct line *line, bool merged)
{
    event_batch_clear(&line->batch);
    line->bytes = 0;
    if (merged)
        event_batch_begin_merging(&line->batch);
}

void
event_queue_attach(event_queue_t *self, unsigned scene, uint64_t seq)
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
    if (line->batch.merged)
        return event_batch_take(&line->batch, event) != BATCH_DROPPED;
    line->bytes += record_size(event->record);
    if (line->batch.count > 0 &&
        (line->batch.count >= EVENT_QUEUE_EVENTS || line->bytes > EVENT_QUEUE_BYTES))
        return false;
    return event_batch_take(&line->batch, event) == BATCH_ADDED;
}

void
event_queue_push(event_queue_t *self, unsigned scene, const struct event *event)
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
event_queue_is_closed(event_queue_t *self)
{
    pthread_mutex_lock(&self->lock);
    bool closed = self->closed;
    pthread_mutex_unlock(&self->lock);
    return closed;
}

// --- the worker ---

int
event_queue_descriptor(const event_queue_t *self)
{
    return self->descriptor; // the worker alone closes it
}

void
event_queue_hush(event_queue_t *self)
{
    eventfd_t rings;
    pthread_mutex_lock(&self->lock);
    if (self->rung)
        eventfd_read(self->descriptor, &rings);
    self->rung = false;
    pthread_mutex_unlock(&self->lock);
}

bool
event_queue_take(event_queue_t *self, unsigned scene, struct event_batch *batch)
{
    struct line *line = &self->lines[scene];
    pthread_mutex_lock(&self->lock);
    bool falls_behind = line->behind && !line->told;
    line->told |= falls_behind;
    struct event_batch taken = line->batch;
    line->batch = *batch;
    *batch = taken;
    line_clear(line, self->merged);
    pthread_mutex_unlock(&self->lock);
    event_batch_sort(batch);
    return !falls_behind;
}

void
event_queue_close(event_queue_t *self)
{
    pthread_mutex_lock(&self->lock);
    self->closed = true;
    event_queue_drain(self);
    pthread_mutex_unlock(&self->lock);
}

// --- watching ---

static void
watching_release(struct parcel *parcel)
{
    struct watching *self = (struct watching *)(void *)parcel;
    event_queue_unref(&self->queue);
    events_destroy(&self->missed);
    free(self);
}

struct watching *
watching_create(event_queue_t *queue, unsigned scene)
{
    struct watching *self = memory_take_zeroed(sizeof *self);
    self->base.destroy = watching_release;
    self->queue = event_queue_ref(queue);
    self->scene = scene;
    return self;
}
