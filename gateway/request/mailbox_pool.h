// mailbox_pool.h - the mailboxes that the workers ask from. A worker borrows one for the time of
// its question; the one that came back last goes out first. So there are as many as questions were
// asked at the same time, not as many as workers: ZeroMQ keeps some 64 KiB for each pair of a
// mailbox and an actor, once some hundred messages went through. Any thread.
#ifndef DIORAMA_GATEWAY_REQUEST_MAILBOX_POOL_H
#define DIORAMA_GATEWAY_REQUEST_MAILBOX_POOL_H

#include "proto/message/mailbox.h"

typedef struct mailbox_pool mailbox_pool_t;

// A mailbox, and the id of its last question: ids tell late answers from those that are awaited.
struct pooled_mailbox {
    struct pooled_mailbox *next; // in the pool
    mailbox_t *mailbox;
    uint64_t last_id;
};

mailbox_pool_t *mailbox_pool_create(void);
// All mailboxes have been given back. Accepts NULL.
void mailbox_pool_destroy(mailbox_pool_t **self);

// A mailbox for the calling thread alone, until it gives it back. Fails as mailbox_create does.
fallible mailbox_pool_borrow(mailbox_pool_t *self, struct pooled_mailbox **ret_mailbox);
void mailbox_pool_give_back(mailbox_pool_t *self, struct pooled_mailbox **mailbox);

#endif
