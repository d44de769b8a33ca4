// json_number.h - numbers as JSON text. Dragonbox finds the digits. Any thread.
#ifndef DIORAMA_PROTO_CODEC_JSON_NUMBER_H
#define DIORAMA_PROTO_CODEC_JSON_NUMBER_H

#include <stdint.h>

#include "proto/base/buffer.h"

#ifdef __cplusplus
extern "C" {
#endif

// Prints a finite number: shortest text that reads back as the same double, with at least one
// decimal ("1.0", "-0.5", "1e+300" as "1.0e+300").
void json_put_number(struct buffer *out, double value);
void json_put_integer(struct buffer *out, int64_t value);

#ifdef __cplusplus
}
#endif

#endif
