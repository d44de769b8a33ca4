// window_sender.h - hands the parts of a window to the actors, and waits until all have them. The
// follower's thread alone.
#ifndef DIORAMA_ACTORS_REPLICA_WINDOW_SENDER_H
#define DIORAMA_ACTORS_REPLICA_WINDOW_SENDER_H

#include "actors/replica/copied_window.h"

// Embedded; the mailbox is borrowed.
struct window_sender {
    mailbox_t *mailbox;
    uint64_t asked; // ids of messages
};

// COPY_NEED to those that need it, or COPY_APPLY to all. The batches are in their parts again
// afterwards. Fails with what an actor failed with, ERR_UNAVAILABLE where one does not answer
// within half a minute.
fallible window_send(struct window_sender *self, enum operation operation, copied_window_t *window);

#endif
