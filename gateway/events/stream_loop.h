// stream_loop.h - a thread that serves many streams: it sleeps in epoll until a client's socket, an
// event queue, an actor's answer or a time has something for one of them. Others give it streams
// and stop it.
#ifndef DIORAMA_GATEWAY_EVENTS_STREAM_LOOP_H
#define DIORAMA_GATEWAY_EVENTS_STREAM_LOOP_H

#include "gateway/events/event_stream.h"

typedef struct stream_loop stream_loop_t;

// Asks `shards` scene actors, whose answers may take `deadline_ms`; `memory` is that of all
// streams. Fails with ERR_UNAVAILABLE without a thread, a descriptor or a mailbox.
fallible stream_loop_create(struct allowance *memory, unsigned shards, int64_t deadline_ms,
                            stream_loop_t **ret_loop);

// After stream_loop_stop. Accepts NULL.
void stream_loop_destroy(stream_loop_t **self);

// The bell of the queues of its streams. Any thread.
event_bell_t *stream_loop_bell(const stream_loop_t *self);

// Takes a stream; ends it at once if the loop has stopped. Any thread.
void stream_loop_take(stream_loop_t *self, event_stream_t **stream);

// Ends all streams and the thread, and returns then.
void stream_loop_stop(stream_loop_t *self);

#endif
