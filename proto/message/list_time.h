// list_time.h - intervals of time as OGC API says them (17-069r4, 7.15.4): an instant, or two with
// a slash between them, each as in RFC 3339. Pure.
#ifndef DIORAMA_PROTO_MESSAGE_LIST_TIME_H
#define DIORAMA_PROTO_MESSAGE_LIST_TIME_H

#include "proto/base/error.h"
#include "proto/base/text.h"

// Microseconds since 1970, both included.
struct list_time {
    int64_t from, to;
};

// Reads "2026-11-28T12:00:00Z", "FROM/TO", and with one open end "../TO", "FROM/.."; an end may be
// empty in place of "..". An instant without a fraction is the whole second. Fails with ERR_INVALID
// at /datetime.
fallible list_time_read(const struct text *text, struct list_time *ret_time);

#endif
