// upload_bounds.h - reads how large an uploaded model is, once, so that nobody has to open it to
// know where it can be seen. The worker's thread.
#ifndef DIORAMA_GATEWAY_REQUEST_UPLOAD_BOUNDS_H
#define DIORAMA_GATEWAY_REQUEST_UPLOAD_BOUNDS_H

#include "proto/budget/parse_memory.h"
#include "proto/message/blob.h"

// Notes the bounds of the file of an upload (upload_settle) in its record, if that is a glTF model
// and says them. An upload never fails for that: without memory until the deadline (of clock.h), or
// with JSON that is broken or too large, the bounds are not known.
void upload_bounds_note(struct message *message, blobs_t *blobs, const struct parse_payer *payer,
                        uint64_t deadline_ms);

#endif
