// mailbox_pool.c - a stack of mailboxes. ZeroMQ lets a socket go from thread to thread if there is
// a full barrier between them: the lock is one.
#include "gateway/request/mailbox_pool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "proto/base/limits.h"
#include "proto/base/memory.h"

struct mailbox_pool {
    pthread_mutex_t lock;
    struct pooled_mailbox *top;
};

mailbox_pool_t *
mailbox_pool_create(void)
{
    mailbox_pool_t *self = memory_take_zeroed(sizeof *self);
    pthread_mutex_init(&self->lock, NULL);
    return self;
}

static struct pooled_mailbox *
pop(mailbox_pool_t *self)
{
    pthread_mutex_lock(&self->lock);
    struct pooled_mailbox *found = self->top;
    if (found)
        self->top = found->next;
    pthread_mutex_unlock(&self->lock);
    return found;
}

void
mailbox_pool_destroy(mailbox_pool_t **self)
{
    struct pooled_mailbox *mailbox;
    if (!*self)
        return;
    while ((mailbox = pop(*self)) != NULL) {
        mailbox_destroy(&mailbox->mailbox);
        free(mailbox);
    }
    pthread_mutex_destroy(&(*self)->lock);
    free(*self);
    *self = NULL;
}

// Names are never used twice in a process, so no late answer reaches another mailbox.
static fallible
make(struct pooled_mailbox **ret_mailbox)
{
    static _Atomic unsigned made;
    char name[MAILBOX_NAME_SIZE];
    mailbox_t *mailbox;
    snprintf(name, sizeof name, "worker.%u", made++);
    TRY(mailbox_create(name, false, &mailbox));
    *ret_mailbox = memory_take_zeroed(sizeof **ret_mailbox);
    (*ret_mailbox)->mailbox = mailbox;
    return OK;
}

fallible
mailbox_pool_borrow(mailbox_pool_t *self, struct pooled_mailbox **ret_mailbox)
{
    struct pooled_mailbox *found = pop(self);
    if (!found)
        return make(ret_mailbox);
    *ret_mailbox = found;
    return OK;
}

void
mailbox_pool_give_back(mailbox_pool_t *self, struct pooled_mailbox **mailbox)
{
    pthread_mutex_lock(&self->lock);
    (*mailbox)->next = self->top;
    self->top = *mailbox;
    pthread_mutex_unlock(&self->lock);
    *mailbox = NULL;
}
