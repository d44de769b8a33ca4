// hex.h - bytes that tests state and expect, as lower-case hex.
#ifndef DIORAMA_TESTS_SUPPORT_HEX_H
#define DIORAMA_TESTS_SUPPORT_HEX_H

#include "proto/base/arena.h"
#include "proto/base/buffer.h"

// The bytes that the hex says, in the arena.
const char *hex_bytes(struct arena *arena, const char *hex, size_t *ret_size);

// Expects that the buffer has these bytes.
void hex_expect(const struct buffer *buffer, const char *expected);

#endif
