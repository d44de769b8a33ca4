// event_queue.c - batches of events between two threads (event_queue.h).

#include "proto/feed/event_queue.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "proto/base/memory.h"

enum {
    KEPT_EVENTS = 64,                                // a batch that was larger frees its memory
    EVENT_BYTES = sizeof(struct event) + 2 * 16 + 8, // and its place in a merged batch
};

// The events of one scene that wait.
struct waiting {
    struct event_batch batch;
    uint64_t last;    // seq of the newest event that was taken
    bool is_behind;   // events are missing: takes nothing until it is attached again
    bool is_reported; // and the listener was told
};

struct event_queue {
    struct bell_cord cord; // pulled: the bell has a reference
    _Atomic unsigned references;
    _Atomic bool is_closed; // written under the lock
    pthread_mutex_t lock;
    event_bell_t *bell; // one reference
    void *listener;
    bool is_merged, is_pulled;
    size_t bytes; // of what waits, of all scenes
    unsigned count;
    struct waiting scenes[];
};

event_queue_t *
event_queue_create(event_bell_t *bell, unsigned scene_count, bool merged)
{
    event_queue_t *self = memory_take_zeroed(sizeof *self + scene_count * sizeof self->scenes[0]);
    atomic_init(&self->references, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->bell = event_bell_ref(bell);
    self->is_merged = merged;
    self->count = scene_count;
    return self;
}

event_queue_t *
event_queue_ref(event_queue_t *self)
{
    atomic_fetch_add(&self->references, 1);
    return self;
}

static void
give_back(event_queue_t *self, const struct event_batch *batch)
{
    self->bytes -= batch->bytes;
    if (batch->count)
        allowance_give(event_bell_memory(self->bell), batch->count * EVENT_BYTES);
}

// The caller holds the lock, or has the last reference.
static void
event_queue_drain(event_queue_t *self)
{
    for (unsigned i = 0; i < self->count; i++) {
        give_back(self, &self->scenes[i].batch);
        event_batch_finish(&self->scenes[i].batch);
    }
}

void
event_queue_unref(event_queue_t **self)
{
    event_queue_t *queue = *self;
    *self = NULL;
    if (!queue || atomic_fetch_sub(&queue->references, 1) > 1)
        return;
    event_queue_drain(queue);
    event_bell_unref(&queue->bell);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

// --- the streamer ---

static void
tell_listener(event_queue_t *self)
{
    if (self->is_pulled)
        return;
    self->is_pulled = true;
    event_bell_pull(self->bell, &event_queue_ref(self)->cord);
}

static void
waiting_clear(event_queue_t *self, struct waiting *waiting)
{
    give_back(self, &waiting->batch);
    event_batch_rest(&waiting->batch, KEPT_EVENTS);
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
    bool is_change = event->msg_type != EVENT_LOCK_ASKED;
    if (event->seq != waiting->last + is_change)
        return false; // some events never came: the streamer's own queue was full
    waiting->last = event->seq;
    struct event_batch *batch = &waiting->batch;
    size_t before = batch->bytes;
    enum event_batch_outcome outcome = event_batch_take(batch, event);
    self->bytes += batch->bytes - before;
    // Beyond what all may have, this one gives back what it has.
    bool is_within =
        outcome != BATCH_ADDED || allowance_add(event_bell_memory(self->bell), EVENT_BYTES);
    return outcome != BATCH_DROPPED && is_within && has_room(self, waiting);
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
        tell_listener(self);
    }
    pthread_mutex_unlock(&self->lock);
}

bool
event_queue_is_closed(event_queue_t *self)
{
    return atomic_load(&self->is_closed);
}

// --- the listener's thread ---

void
event_queue_listen(event_queue_t *self, void *listener)
{
    pthread_mutex_lock(&self->lock);
    self->listener = listener;
    pthread_mutex_unlock(&self->lock);
}

void *
event_queue_answer(struct bell_cord *cord)
{
    event_queue_t *self = (event_queue_t *)(void *)cord;
    pthread_mutex_lock(&self->lock);
    self->is_pulled = false;
    void *listener = self->listener;
    pthread_mutex_unlock(&self->lock);
    event_queue_unref(&self);
    return listener;
}

bool
event_queue_take(event_queue_t *self, unsigned scene, struct event_batch *batch)
{
    struct waiting *waiting = &self->scenes[scene];
    pthread_mutex_lock(&self->lock);
    bool falls_behind = waiting->is_behind && !waiting->is_reported;
    waiting->is_reported |= falls_behind;
    struct event_batch taken = waiting->batch;
    give_back(self, &taken);
    waiting->batch = *batch; // which is empty
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
    atomic_store(&self->is_closed, true);
    self->listener = NULL;
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
