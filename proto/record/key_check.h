// key_check.h - the rule for keys that clients choose.
#ifndef DIORAMA_PROTO_RECORD_KEY_CHECK_H
#define DIORAMA_PROTO_RECORD_KEY_CHECK_H

#include "proto/base/text.h"

// What is wrong with a client-given key, or NULL: 1 to 128 bytes of UTF-8, no control characters,
// no `/`, not `query`, `cache`, `.` or `..`.
const char *key_check(const struct text *key);

#endif
