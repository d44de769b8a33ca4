// reply_warnings.h - tells the client what was taken although it is probably not meant: in the
// envelope, or in the header Diorama-Warnings of answers without one.
#ifndef DIORAMA_GATEWAY_REPLY_REPLY_WARNINGS_H
#define DIORAMA_GATEWAY_REPLY_REPLY_WARNINGS_H

#include "gateway/request/route.h"
#include "proto/record/warnings.h"

// Appends `,"warnings":[{"pointer":…,"detail":…},…]`, the last member of an envelope; nothing if
// there are none.
void reply_warnings_put(const struct warnings *warnings, struct buffer *out);

// Appends the same list in ASCII, the value of a header: as many as fit some KiB.
void reply_warnings_put_header(const struct warnings *warnings, struct buffer *out);

#endif
