// mailbox.h - the mailbox of a thread: one ZeroMQ ROUTER a thread, addressed by name. Inside a
// process a message is one pointer-sized frame and ownership moves with it. One thread at a time
// uses a mailbox: the one that made it, or who got it through a lock (gateway). The mailbox that
// sends first connects: gateway -> actors; UDP receiver -> scene actors, streamer; user actor ->
// scene actors; scene actor -> committer, loader, streamer, asset actor, solver, relation actor;
// asset actor, user actor -> streamer.
// Replies use the same connection, unless the message names a box (answer_box.h), and so do the
// requests of the asset actor and the reports of the solver (mailbox_send_back): two mailboxes
// never connect to each other.
#ifndef DIORAMA_PROTO_MESSAGE_MAILBOX_H
#define DIORAMA_PROTO_MESSAGE_MAILBOX_H

#include "proto/message/message.h"

typedef struct mailbox mailbox_t;

// A mailbox of this name (at most 23 bytes). If `open`, others may send to it first. Fails with
// ERR_UNAVAILABLE if the name is taken or no socket is left.
fallible mailbox_create(const char *name, bool open, mailbox_t **ret_mailbox);
// Messages that still wait are destroyed.
void mailbox_destroy(mailbox_t **self);

const char *mailbox_name(const mailbox_t *self);

// Sends to the mailbox called `to`; on success *message becomes NULL. Fails with ERR_UNAVAILABLE if
// its queue is full; then the message stays yours.
fallible mailbox_send(mailbox_t *self, const char *to, struct message **message);

// Sends over the connection that `to` made when it sent something; fails if it never did.
fallible mailbox_send_back(mailbox_t *self, const char *to, struct message **message);

// Sends the message back to its sender, or into the box that it names (answer_box.h). A reply that
// cannot be delivered is destroyed: its receiver is gone.
void mailbox_reply(mailbox_t *self, struct message **message);

// The next message, or NULL if none arrives within `timeout_ms` (-1 waits for ever, 0 does not
// wait).
struct message *mailbox_receive(mailbox_t *self, int timeout_ms);

// ZeroMQ's socket, for a poll set.
void *mailbox_socket(mailbox_t *self);

// The descriptor behind it, for epoll. It becomes readable when a message comes after one in vain
// was asked for by mailbox_receive, which must be the last use of the mailbox before the wait.
int mailbox_descriptor(mailbox_t *self);

// The name of scene shard `shard`'s mailbox; `ret_name` has MAILBOX_NAME_SIZE bytes.
void mailbox_shard_name(unsigned shard, char *ret_name);

#endif
