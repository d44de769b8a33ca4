// top_values.h - what `diorama top` makes of a series of the server: three numbers, and how a
// number is written for people. Pure.
#ifndef DIORAMA_TOOLS_CLI_TOP_VALUES_H
#define DIORAMA_TOOLS_CLI_TOP_VALUES_H

#include "proto/base/buffer.h"
#include "proto/codec/json_text.h"

// Of a series: its newest value, the mean and the largest. NAN where there is none.
struct top_span {
    double now, mean, most;
};

// `values` is an array of numbers, oldest first, and of nulls where nothing was measured.
struct top_span top_span_of(const struct json *values);

// Appends a value with its unit as the server names it (1/s, ms, bytes, %, or none): three digits
// that say something, bytes as KiB to TiB. NAN is "-".
void top_value_put(struct buffer *out, double value, const char *unit);

#endif
