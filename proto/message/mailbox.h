// mailbox.h - where messages meet a thread: one ZeroMQ ROUTER a thread, addressed by name.
// Inside a process a message is one pointer-sized frame and ownership moves with it. A mailbox is
// used by the thread that made it. Who connects: the one that sends first, always in the direction
// gateway -> actors, UDP receiver -> scene actors, streamer, user actor -> scene actors, scene
// actor -> committer, loader, streamer, asset actor, solver, relation actor; replies go back over
// the same connection, and so does what the asset actor asks and the solver tells
// (mailbox_send_back): two mailboxes never connect to each other.
#ifndef DIORAMA_PROTO_MESSAGE_MAILBOX_H
#define DIORAMA_PROTO_MESSAGE_MAILBOX_H

#include "proto/message/message.h"

typedef struct mailbox mailbox_t;

// A mailbox called `name` (at most 23 bytes); when `open` is true others may send to it first.
// Fails with ERR_UNAVAILABLE where the name is taken or sockets are used up.
fallible mailbox_create(const char *name, bool open, mailbox_t **ret_mailbox);
// Messages still waiting are destroyed.
void mailbox_destroy(mailbox_t **self);

const char *mailbox_name(const mailbox_t *self);

// Sends to the mailbox called `to`; on success *message becomes NULL.
// Fails with ERR_UNAVAILABLE where its queue is full; the message stays yours then.
fallible mailbox_send(mailbox_t *self, const char *to, struct message **message);

// The same over the connection that `to` made when it sent something; fails where it never did.
fallible mailbox_send_back(mailbox_t *self, const char *to, struct message **message);

// Sends the message back to whom it came from. A reply that cannot be delivered is destroyed: its
// asker is gone.
void mailbox_reply(mailbox_t *self, struct message **message);

// The next message, or NULL when none came within `timeout_ms` (-1 waits for ever, 0 looks).
struct message *mailbox_receive(mailbox_t *self, int timeout_ms);

// ZeroMQ's socket, for a poll set.
void *mailbox_socket(mailbox_t *self);

// The name of scene shard `shard`'s mailbox; `ret_name` has MAILBOX_NAME_SIZE bytes.
void mailbox_shard_name(unsigned shard, char *ret_name);

#endif
