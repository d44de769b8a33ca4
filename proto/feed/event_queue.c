// event_queue.c - batches of events between two threads (event_queue.h).

#include "proto/feed/event_queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "proto/base/memory.h"

// The events of one scene that wait.
struct waiting {
    struct event_batch batch;
    uint64_t last;    // seq of the newest event that was taken
    bool is_behind;   // events are missing: takes nothing until it is attached again
    bool is_reported; // and the worker was told
};

struct event_queue {
    _Atomic unsigned references;
    pthread_mutex_t lock;
    int descriptor; // an eventfd; -1 when closed
    bool is_merged, is_closed, is_signalled;
    size_t bytes; // of what waits, of all scenes
    unsigned count;
    struct waiting scenes[];
};

fallible
event_queue_create(unsigned scene_count, bool merged, event_queue_t **ret_queue)
{
    int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (descriptor < 0)
        return fail(ERR_UNAVAILABLE, "", "the system has no descriptor left for a stream");
    event_queue_t *self = memory_take_zeroed(sizeof *self + scene_count * sizeof self->scenes[0]);
    atomic_init(&self->references, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->descriptor = descriptor;
    self->is_merged = merged;
    self->count = scene_count;
    *ret_queue = self;
    return OK;
}

event_queue_t *
event_queue_ref(event_queue_t *self)
{
    atomic_fetch_add(&self->references, 1);
    return self;
}

// The caller holds the lock, or has the last reference.
static void
event_queue_drain(event_queue_t *self)
{
    for (unsigned i = 0; i < self->count; i++)
        event_batch_finish(&self->scenes[i].batch);
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
signal_worker(event_queue_t *self)
{
    if (self->is_signalled)
        return;
    self->is_signalled = true;
    eventfd_write(self->descriptor, 1);
}

static void
waiting_clear(event_queue_t *self, struct waiting *waiting)
{
    self->bytes -= waiting->batch.bytes;
    event_batch_clear(&waiting->batch);
    if (self->is_merged)
        event_batch_begin_merging(&waiting->batch);
}

void
event_queue_attach(event_queue_t *self, unsigned scene, uint64_t seq)
{
    struct waiting *waiting = &self->scenes[scene];
    pthread_mutex_lock(&self->lock);
    if (!self->is_closed) {
        waiting_clear(self, waiting);
        waiting->last = seq;
        waiting->is_behind = waiting->is_reported = false;
    }
    pthread_mutex_unlock(&self->lock);
}

// Whether so much may wait: whatever it is, where it is one event alone.
static bool
has_room(const event_queue_t *self, const struct waiting *waiting)
{
    const struct event_batch *batch = &waiting->batch;
    bool is_long = !self->is_merged && batch->count > EVENT_QUEUE_EVENTS;
    bool is_large = batch->bytes > EVENT_QUEUE_BYTES && batch->count > 1;
    bool are_large = self->bytes > EVENT_QUEUE_ALL_BYTES && self->bytes > batch->bytes;
    return !is_long && !is_large && !are_large;
}

// Whether the event could be taken.
static bool
waiting_take(event_queue_t *self, struct waiting *waiting, const struct event *event)
{
    if (event->seq != waiting->last + 1)
        return false; // some events never came: the streamer's own queue was full
    waiting->last = event->seq;
    size_t before = waiting->batch.bytes;
    bool is_taken = event_batch_take(&waiting->batch, event) != BATCH_DROPPED;
    self->bytes += waiting->batch.bytes - before;
    return is_taken && has_room(self, waiting);
}

void
event_queue_push(event_queue_t *self, unsigned scene, const struct event *event)
{
    struct waiting *waiting = &self->scenes[scene];
    pthread_mutex_lock(&self->lock);
    if (!self->is_closed && !waiting->is_behind) {
        if (!waiting_take(self, waiting, event)) {
            waiting->is_behind = true;
            waiting_clear(self, waiting);
        }
        signal_worker(self);
    }
    pthread_mutex_unlock(&self->lock);
}

bool
event_queue_is_closed(event_queue_t *self)
{
    pthread_mutex_lock(&self->lock);
    bool closed = self->is_closed;
    pthread_mutex_unlock(&self->lock);
    return closed;
}

// --- the worker ---

int
event_queue_descriptor(const event_queue_t *self)
{
    return self->descriptor; // only the worker closes it
}

void
event_queue_reset(event_queue_t *self)
{
    eventfd_t signals;
    pthread_mutex_lock(&self->lock);
    if (self->is_signalled)
        eventfd_read(self->descriptor, &signals);
    self->is_signalled = false;
    pthread_mutex_unlock(&self->lock);
}

bool
event_queue_take(event_queue_t *self, unsigned scene, struct event_batch *batch)
{
    struct waiting *waiting = &self->scenes[scene];
    pthread_mutex_lock(&self->lock);
    bool falls_behind = waiting->is_behind && !waiting->is_reported;
    waiting->is_reported |= falls_behind;
    struct event_batch taken = waiting->batch;
    self->bytes -= taken.bytes;
    waiting->batch = *batch;
    *batch = taken;
    waiting_clear(self, waiting);
    pthread_mutex_unlock(&self->lock);
    event_batch_sort(batch);
    return !falls_behind;
}

void
event_queue_close(event_queue_t *self)
{
    pthread_mutex_lock(&self->lock);
    self->is_closed = true;
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
