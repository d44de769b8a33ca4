// latest.h - the newest state of each object that a listener received.
#ifndef DIORAMA_TOOLS_CLI_LATEST_H
#define DIORAMA_TOOLS_CLI_LATEST_H

#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/codec/json_text.h"

typedef struct latest latest_t;

latest_t *latest_create(void);
void latest_destroy(latest_t **self);

// Takes the state from one change of the feed, which has the number `seq`; call it in order of
// arrival. The delete event of an object removes its state; other changes without key or transform
// are ignored.
void latest_note(latest_t *self, const struct json *change, uint64_t seq);

// All objects so far, deleted ones included.
size_t latest_count(const latest_t *self);

// Writes {"<key>":{"transform":[16 numbers],"seq":N},…} to `path`, by key.
// Fails with ERR_UNAVAILABLE when it cannot be written.
fallible latest_write(const latest_t *self, const char *path);

#endif
