// stream_turn.h - what a stream does next: sends what is left, looks whether it may go on, asks,
// writes. A turn writes one buffer at most and never waits. The thread of the stream's loop.
#ifndef DIORAMA_GATEWAY_EVENTS_STREAM_TURN_H
#define DIORAMA_GATEWAY_EVENTS_STREAM_TURN_H

#include "gateway/events/event_stream.h"
#include "gateway/events/stream_sink.h"

// What streams of one loop share for their turns.
struct stream_desk {
    struct stream_sink sink; // empty between two turns
    // Sends a question about a scene (taken); false if too many are under way: it stays the
    // caller's, and is to be asked later.
    bool (*ask)(struct stream_desk *self, event_stream_t *stream, unsigned scene,
                struct message **question);
    uint64_t deadline_ms; // how long an answer may take
};

enum stream_outcome {
    STREAM_WAITS,   // for the client, an event, an answer, or until it is due
    STREAM_GOES_ON, // it has more to write
    STREAM_ASKS,    // the desk has no room for its question
    STREAM_ENDS,    // the client left or may watch no more, or the last scene is gone
    STREAM_BREAKS,  // the client is too slow: what the kernel has for it goes too
};

// The worker's joins are answered: the stream begins now.
void stream_turn_begin(event_stream_t *self, uint64_t now_ms);

enum stream_outcome stream_turn(event_stream_t *self, struct stream_desk *desk);

// When it has something to do although nothing happens (of clock_now_us).
uint64_t stream_turn_due_us(const event_stream_t *self);

#endif
