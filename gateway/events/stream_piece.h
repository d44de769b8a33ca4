// stream_piece.h - what a stream writes: the state of the scenes that it has joined, then what
// happens in them, a piece at a time, in the form that its client asked for. The thread of the
// stream's loop.
#ifndef DIORAMA_GATEWAY_EVENTS_STREAM_PIECE_H
#define DIORAMA_GATEWAY_EVENTS_STREAM_PIECE_H

#include "gateway/events/event_stream.h"
#include "gateway/events/stream_sink.h"

// Writes the next piece; false if there is nothing to write now. No question is under way.
bool stream_piece_write(event_stream_t *self, struct stream_sink *sink, uint64_t now_us);

// Whether the stream is in the middle of something, while changes of access may wait in the queue.
bool stream_piece_is_amid(const event_stream_t *self);

#endif
