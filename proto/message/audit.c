// audit.c - the queue of the audit log (audit.h): a ring behind a lock. Whoever adds wakes the
// reader only for the first event, so that a busy server does not switch threads for each request.
#include "proto/message/audit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/condition.h"
#include "proto/base/memory.h"
#include "proto/message/metrics.h"

static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    struct audit_event *ring; // NULL: nobody empties it
    size_t first, count;
    uint64_t lost;
    bool is_reopened, is_woken;
    bool is_stuck; // somebody waited in vain, and nothing was taken since
} queue = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .filled = PTHREAD_COND_INITIALIZER,
    .emptied = PTHREAD_COND_INITIALIZER,
};

void
audit_name(const struct text *text, char ret_name[AUDIT_NAME_SIZE])
{
    size_t size = text_size(text) < AUDIT_NAME_SIZE ? text_size(text) : AUDIT_NAME_SIZE - 1;
    memcpy(ret_name, text_bytes(text), size);
    ret_name[size] = '\0';
    for (size_t i = 0; i < size; i++)
        if (ret_name[i] == '\0')
            ret_name[i] = '?';
    utf8_clean(ret_name);
}

// Whether there is room; an event that has a line of its own waits for it. Where one has waited in
// vain, no other does: a request of thousands of events would not end.
static bool
await_room(enum audit_kind kind)
{
    if (queue.count == AUDIT_QUEUE_EVENTS && kind >= AUDIT_EACH && !queue.is_stuck) {
        uint64_t deadline_ms = clock_deadline_ms(AUDIT_WAIT_MS);
        bool is_in_time = true;
        while (is_in_time && queue.ring && queue.count == AUDIT_QUEUE_EVENTS)
            is_in_time = condition_await(&queue.emptied, &queue.lock, deadline_ms);
        queue.is_stuck = queue.count == AUDIT_QUEUE_EVENTS;
    }
    return queue.ring && queue.count < AUDIT_QUEUE_EVENTS;
}

static void
put(const struct audit_event *event)
{
    size_t place = (queue.first + queue.count++) % AUDIT_QUEUE_EVENTS;
    queue.ring[place] = *event;
    if (!event->time_us)
        queue.ring[place].time_us = clock_calendar_us();
    if (queue.count == 1)
        pthread_cond_signal(&queue.filled);
}

void
audit_note(const struct audit_event *event)
{
    pthread_mutex_lock(&queue.lock);
    if (queue.ring && await_room(event->kind)) {
        put(event);
    } else if (queue.ring) {
        queue.lost++;
        counter_add(COUNT_AUDIT_LOST, 1);
    }
    pthread_mutex_unlock(&queue.lock);
}

void
audit_reopen(void)
{
    pthread_mutex_lock(&queue.lock);
    queue.is_reopened = queue.is_woken = true;
    pthread_cond_signal(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
}

void
audit_begin(void)
{
    pthread_mutex_lock(&queue.lock);
    queue.ring = memory_take(AUDIT_QUEUE_EVENTS * sizeof *queue.ring);
    queue.first = queue.count = queue.lost = 0;
    queue.is_reopened = queue.is_woken = queue.is_stuck = false;
    pthread_mutex_unlock(&queue.lock);
}

size_t
audit_take(struct audit_event *events, size_t capacity, uint64_t timeout_ms)
{
    uint64_t deadline_ms = clock_deadline_ms(timeout_ms);
    bool is_in_time = true;
    pthread_mutex_lock(&queue.lock);
    while (is_in_time && queue.count == 0 && !queue.is_woken)
        is_in_time = condition_await(&queue.filled, &queue.lock, deadline_ms);
    queue.is_woken = false;
    size_t count = 0;
    for (; count < capacity && queue.count; count++, queue.count--) {
        events[count] = queue.ring[queue.first];
        queue.first = (queue.first + 1) % AUDIT_QUEUE_EVENTS;
    }
    queue.is_stuck = queue.is_stuck && count == 0;
    pthread_cond_broadcast(&queue.emptied);
    pthread_mutex_unlock(&queue.lock);
    return count;
}

uint64_t
audit_take_lost(void)
{
    pthread_mutex_lock(&queue.lock);
    uint64_t lost = queue.lost;
    queue.lost = 0;
    pthread_mutex_unlock(&queue.lock);
    return lost;
}

bool
audit_take_reopen(void)
{
    pthread_mutex_lock(&queue.lock);
    bool is_reopened = queue.is_reopened;
    queue.is_reopened = false;
    pthread_mutex_unlock(&queue.lock);
    return is_reopened;
}

void
audit_wake(void)
{
    pthread_mutex_lock(&queue.lock);
    queue.is_woken = true;
    pthread_cond_signal(&queue.filled);
    pthread_mutex_unlock(&queue.lock);
}

void
audit_end(void)
{
    pthread_mutex_lock(&queue.lock);
    free(queue.ring);
    queue.ring = NULL;
    pthread_cond_broadcast(&queue.emptied);
    pthread_mutex_unlock(&queue.lock);
}
