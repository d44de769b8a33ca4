// feed_writing.h - what tests of the feed's forms stand on: an arena, the bytes that were written,
// and frozen records that live as long as one test. A suite names begin and end as its own.
#ifndef DIORAMA_TESTS_SUPPORT_FEED_WRITING_H
#define DIORAMA_TESTS_SUPPORT_FEED_WRITING_H

#include "proto/base/arena.h"
#include "proto/base/buffer.h"
#include "proto/record/record.h"

extern struct arena arena;
extern struct buffer out;

void feed_writing_begin(void);

void feed_writing_end(void);

void set(struct record *record, unsigned id, const char *value);

// A frozen copy that lives as long as the test; at most 32 of them.
const frozen_t *keep(const struct record *loose);

// A loose scene with this key alone.
struct record *scene_called(const char *key);

// Fails unless `out` holds just these bytes.
void expect_bytes(const void *bytes, size_t size);

#endif
