// percent.h - keys in places where some characters mean something else.
#ifndef DIORAMA_TOOLS_CLI_PERCENT_H
#define DIORAMA_TOOLS_CLI_PERCENT_H

#include "proto/base/buffer.h"

// Appends `chars` as one segment of a URL's path: all but RFC 3986's unreserved characters encoded.
void percent_put_segment(struct buffer *out, const char *chars);

// Appends `chars` as one word of a PUB topic: `.`, `%` and control characters encoded (live-feed).
void percent_put_word(struct buffer *out, const char *chars);

#endif
