// latest.h - the newest state of each object that a listener heard of.
#ifndef DIORAMA_TOOLS_CLI_LATEST_H
#define DIORAMA_TOOLS_CLI_LATEST_H

#include <stddef.h>
#include <stdint.h>

#include "proto/base/error.h"
#include "proto/codec/json_text.h"

typedef struct latest latest_t;

latest_t *latest_create(void);
void latest_destroy(latest_t **self);

// Takes the state out of one change of the feed, told under the number `seq`, in order of arrival.
// An object's delete event takes its state away; other changes without key or transform change
// nothing.
void latest_note(latest_t *self, const struct json *change, uint64_t seq);

// Objects ever heard of, the deleted ones too.
size_t latest_count(const latest_t *self);

// Writes {"<key>":{"transform":[16 numbers],"seq":N},…} to `path`, by key.
// Fails with ERR_UNAVAILABLE when it cannot be written.
fallible latest_write(const latest_t *self, const char *path);

#endif
