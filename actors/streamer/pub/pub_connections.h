// pub_connections.h - who is connected to PUB, and the end of those who are too many or want
// nothing: ZeroMQ can neither refuse a connection nor end one. Its reports name the descriptor of
// each; a copy of it is shut down, and ZeroMQ finds the connection closed. The publisher's thread.
#ifndef DIORAMA_ACTORS_STREAMER_PUB_PUB_CONNECTIONS_H
#define DIORAMA_ACTORS_STREAMER_PUB_PUB_CONNECTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pub_connection;

// Embedded. The oldest first.
struct pub_connections {
    struct pub_connection *items;
    size_t count, capacity;
    int blank, copy;         // descriptors kept for ending others: none may be left then
    uint64_t sent, messages; // bytes of all messages so far, and how many these were
    size_t largest;          // message since the last look for those that hold too much
    uint64_t looked_sent, looked_messages; // then
    size_t joining;                        // connections whose small segments are joined
    uint64_t paced_ms, paced_sent;         // at the last pub_connections_join
    uint64_t rates_ms;                     // when it last looked at each connection
};

void pub_connections_init(struct pub_connections *self);

void pub_connections_finish(struct pub_connections *self);

// What ZeroMQ reports: a connection was accepted, has ended, wants a topic.
void pub_connections_accepted(struct pub_connections *self, int descriptor, uint64_t now_ms);
void pub_connections_ended(struct pub_connections *self, int descriptor);
void pub_connections_subscribed(struct pub_connections *self, int descriptor);

// Ends connections that have wanted nothing for `idle_ms`, and the newest beyond `most` (0 = any
// number). All reports must have been taken. Returns how many; ZeroMQ reports the end of each.
size_t pub_connections_trim(struct pub_connections *self, size_t most, uint64_t idle_ms,
                            uint64_t now_ms);

// Of the connections that have taken nothing for `stall_ms` while bytes wait for them, ends the
// newest beyond `most`. Asks the kernel about each: once a second is enough. Returns how many.
size_t pub_connections_end_stalled(struct pub_connections *self, size_t most, uint64_t stall_ms,
                                   uint64_t now_ms);

// A message of so many bytes was sent to all who want it.
void pub_connections_sent(struct pub_connections *self, size_t bytes);

// How many messages may wait in ZeroMQ: for one connection, by its send_hwm, and for all together;
// and how many bytes of them for one.
struct pub_connections_limits {
    size_t queue, messages, bytes;
};

// Ends connections for which more than limits->bytes may wait: what was sent since nothing waited
// for them, less what the kernel was given for them, and no more than limits->queue messages of the
// largest size. Then ends those for which the most messages wait, until no more than
// limits->messages wait for all together. Asks the kernel about each. Returns how many.
size_t pub_connections_end_heavy(struct pub_connections *self,
                                 const struct pub_connections_limits *limits);

// Of a connection that was given at least so many bytes a second since the last look, the kernel
// joins small segments: one that is not full waits until what was sent before has arrived. ZeroMQ
// hands over at most 8 KiB at once, and each is a packet otherwise. Of the others each segment
// leaves at once, those that wait too. Looks at each connection only while that many bytes a second
// are sent at all, or self->joining is not 0: must be called again soon then.
void pub_connections_join(struct pub_connections *self, uint64_t bytes_a_s, uint64_t now_ms);

#endif
