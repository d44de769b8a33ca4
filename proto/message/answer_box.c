// answer_box.c - see answer_box.h. The stack is one pointer that all exchange; whoever finds it
// empty posts the semaphore, and whoever takes what is there takes that post back.
#include "proto/message/answer_box.h"

#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "proto/base/clock.h"
#include "proto/base/memory.h"

struct answer_box {
    struct parcel base;               // what a question has of it: a reference
    atomic_uint references;           // one for who receives, one for each question that is out
    _Atomic(struct message *) newest; // of those that came, each with the one before; or `closed`
    sem_t posted;                     // one or more have come since it was empty
    struct message_queue taken;       // from the stack, oldest first; of who receives
};

// In the place of the newest: nobody receives any more.
static struct message closed;

static void
unref(struct parcel *parcel)
{
    answer_box_t *self = (answer_box_t *)(void *)parcel;
    if (atomic_fetch_sub_explicit(&self->references, 1, memory_order_acq_rel) > 1)
        return;
    sem_destroy(&self->posted);
    free(self);
}

answer_box_t *
answer_box_create(void)
{
    answer_box_t *self = memory_take_zeroed(sizeof *self);
    self->base.destroy = unref;
    atomic_init(&self->references, 1);
    sem_init(&self->posted, 0, 0);
    return self;
}

// Moves a stack to the queue of what was taken.
static void
take_stack(answer_box_t *self, struct message *newest)
{
    struct message *oldest = NULL;
    while (newest) {
        struct message *before = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = before;
    }
    while (oldest) {
        struct message *answer = oldest;
        oldest = oldest->next;
        message_queue_push(&self->taken, &answer);
    }
}

void
answer_box_destroy(answer_box_t **self)
{
    answer_box_t *box = *self;
    if (!box)
        return;
    *self = NULL;
    take_stack(box, atomic_exchange_explicit(&box->newest, &closed, memory_order_acquire));
    message_queue_finish(&box->taken);
    unref(&box->base);
}

void
answer_box_address(answer_box_t *self, struct message *question)
{
    atomic_fetch_add_explicit(&self->references, 1, memory_order_relaxed);
    question->answers = &self->base;
}

void
answer_box_strike(struct message *question)
{
    unref(question->answers);
    question->answers = NULL;
}

// Returns whether it was the first of a stack; false too where nobody receives any more, and then
// it is the caller's still.
static bool
push(answer_box_t *self, struct message **answer)
{
    struct message *newest = atomic_load_explicit(&self->newest, memory_order_relaxed);
    do {
        if (newest == &closed)
            return false;
        (*answer)->next = newest;
    } while (!atomic_compare_exchange_weak_explicit(&self->newest, &newest, *answer,
                                                    memory_order_release, memory_order_relaxed));
    *answer = NULL;
    return newest == NULL;
}

// The reference of the question is kept until the box was posted: who receives may find the answer
// before, and give up the box.
void
answer_box_put(struct message **answer)
{
    struct parcel *reference = (*answer)->answers;
    answer_box_t *self = (answer_box_t *)(void *)reference;
    (*answer)->answers = NULL;
    if (push(self, answer))
        sem_post(&self->posted);
    message_destroy(answer);
    unref(reference);
}

// Takes what has come; false: nothing has.
static bool
take_all(answer_box_t *self)
{
    struct message *newest = atomic_exchange_explicit(&self->newest, NULL, memory_order_acquire);
    if (!newest)
        return false;
    sem_trywait(&self->posted); // it says no more than what is taken now
    take_stack(self, newest);
    return true;
}

// Until something was posted, or the time has come.
static void
wait_until(answer_box_t *self, uint64_t deadline_ms)
{
    const struct timespec until = {.tv_sec = (time_t)(deadline_ms / 1000),
                                   .tv_nsec = (long)(deadline_ms % 1000 * 1000000)};
    sem_clockwait(&self->posted, CLOCK_MONOTONIC, &until);
}

struct message *
answer_box_receive(answer_box_t *self, int timeout_ms)
{
    const uint64_t deadline_ms = clock_deadline_ms((uint64_t)timeout_ms);
    while (self->taken.count == 0 && !take_all(self) && clock_left_ms(deadline_ms) > 0)
        wait_until(self, deadline_ms);
    return message_queue_pop(&self->taken);
}
