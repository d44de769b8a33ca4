// question_boxes.c - a stack of boxes, and the outlets that they share (question_boxes.h). ZeroMQ
// lets a socket go from thread to thread if there is a full barrier between them: the lock of an
// outlet is one.
#include "gateway/request/question_boxes.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "proto/base/memory.h"
#include "proto/message/mailbox.h"

enum { OUTLETS_MOST = 16 }; // one is held for a microsecond: so many threads seldom wait for others

struct outlet {
    pthread_mutex_t lock;
    mailbox_t *mailbox; // NULL until a question leaves by it
};

struct question_boxes {
    pthread_mutex_t lock;
    struct question_box *top;
    unsigned made, outlet_count;
    struct outlet outlets[OUTLETS_MOST];
};

static unsigned
outlets_wanted(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (processors < 1)
        return 1;
    return processors < OUTLETS_MOST ? (unsigned)processors : OUTLETS_MOST;
}

question_boxes_t *
question_boxes_create(void)
{
    question_boxes_t *self = memory_take_zeroed(sizeof *self);
    self->outlet_count = outlets_wanted();
    pthread_mutex_init(&self->lock, NULL);
    for (unsigned i = 0; i < self->outlet_count; i++)
        pthread_mutex_init(&self->outlets[i].lock, NULL);
    return self;
}

static void
destroy_boxes(struct question_box *box)
{
    while (box) {
        struct question_box *next = box->next;
        answer_box_destroy(&box->answers);
        free(box);
        box = next;
    }
}

void
question_boxes_destroy(question_boxes_t **self)
{
    if (!*self)
        return;
    for (unsigned i = 0; i < (*self)->outlet_count; i++) {
        mailbox_destroy(&(*self)->outlets[i].mailbox);
        pthread_mutex_destroy(&(*self)->outlets[i].lock);
    }
    destroy_boxes((*self)->top);
    pthread_mutex_destroy(&(*self)->lock);
    free(*self);
    *self = NULL;
}

static struct question_box *
make(question_boxes_t *self, unsigned number)
{
    struct question_box *box = memory_take_zeroed(sizeof *box);
    box->answers = answer_box_create();
    box->outlet = &self->outlets[number % self->outlet_count];
    return box;
}

struct question_box *
question_boxes_borrow(question_boxes_t *self)
{
    pthread_mutex_lock(&self->lock);
    struct question_box *found = self->top;
    if (found)
        self->top = found->next;
    unsigned number = found ? 0 : self->made++;
    pthread_mutex_unlock(&self->lock);
    return found ? found : make(self, number);
}

void
question_boxes_give_back(question_boxes_t *self, struct question_box **box)
{
    pthread_mutex_lock(&self->lock);
    (*box)->next = self->top;
    self->top = *box;
    pthread_mutex_unlock(&self->lock);
    *box = NULL;
}

// Names are never used twice in a process, so nobody takes a mailbox for one that ended.
static fallible
open_outlet(struct outlet *self)
{
    static _Atomic unsigned made;
    char name[MAILBOX_NAME_SIZE];
    if (self->mailbox)
        return OK;
    snprintf(name, sizeof name, "outlet.%u", made++);
    return mailbox_create(name, false, &self->mailbox);
}

static fallible
send_by(struct outlet *self, const char *to, struct message **question)
{
    TRY(open_outlet(self));
    return mailbox_send(self->mailbox, to, question);
}

fallible
question_box_send(struct question_box *box, const char *to, struct message **question)
{
    answer_box_address(box->answers, *question);
    pthread_mutex_lock(&box->outlet->lock);
    enum error error = send_by(box->outlet, to, question);
    pthread_mutex_unlock(&box->outlet->lock);
    if (error != OK)
        answer_box_strike(*question);
    return error;
}
