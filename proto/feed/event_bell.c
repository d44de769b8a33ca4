// event_bell.c - an eventfd and a list of cords that were pulled (event_bell.h).

#include "proto/feed/event_bell.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "proto/base/memory.h"

struct event_bell {
    _Atomic unsigned references;
    struct allowance *memory;
    int descriptor; // an eventfd
    pthread_mutex_t lock;
    bool rings;
    struct bell_cord *first, **last;
};

fallible
event_bell_create(struct allowance *memory, event_bell_t **ret_bell)
{
    int descriptor = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (descriptor < 0)
        return fail(ERR_UNAVAILABLE, "", "the system has no descriptor left for streams of events");
    event_bell_t *self = memory_take_zeroed(sizeof *self);
    atomic_init(&self->references, 1);
    pthread_mutex_init(&self->lock, NULL);
    self->memory = memory;
    self->descriptor = descriptor;
    self->last = &self->first;
    *ret_bell = self;
    return OK;
}

event_bell_t *
event_bell_ref(event_bell_t *self)
{
    atomic_fetch_add(&self->references, 1);
    return self;
}

void
event_bell_unref(event_bell_t **self)
{
    event_bell_t *bell = *self;
    *self = NULL;
    if (!bell || atomic_fetch_sub(&bell->references, 1) > 1)
        return;
    assert(!bell->first);
    close(bell->descriptor);
    pthread_mutex_destroy(&bell->lock);
    free(bell);
}

struct allowance *
event_bell_memory(const event_bell_t *self)
{
    return self->memory;
}

int
event_bell_descriptor(const event_bell_t *self)
{
    return self->descriptor;
}

// The caller holds the lock.
static void
ring(event_bell_t *self)
{
    if (self->rings)
        return;
    self->rings = true;
    eventfd_write(self->descriptor, 1);
}

void
event_bell_ring(event_bell_t *self)
{
    pthread_mutex_lock(&self->lock);
    ring(self);
    pthread_mutex_unlock(&self->lock);
}

void
event_bell_pull(event_bell_t *self, struct bell_cord *cord)
{
    pthread_mutex_lock(&self->lock);
    cord->next = NULL;
    *self->last = cord;
    self->last = &cord->next;
    ring(self);
    pthread_mutex_unlock(&self->lock);
}

struct bell_cord *
event_bell_hush(event_bell_t *self)
{
    eventfd_t rings;
    pthread_mutex_lock(&self->lock);
    if (self->rings)
        eventfd_read(self->descriptor, &rings);
    self->rings = false;
    struct bell_cord *pulled = self->first;
    self->first = NULL;
    self->last = &self->first;
    pthread_mutex_unlock(&self->lock);
    return pulled;
}
