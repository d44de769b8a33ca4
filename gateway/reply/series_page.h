// series_page.h - what `GET /v1/server/series` tells: figures of the server, second by second.
#ifndef DIORAMA_GATEWAY_REPLY_SERIES_PAGE_H
#define DIORAMA_GATEWAY_REPLY_SERIES_PAGE_H

#include "gateway/request/route.h"

// {"step_ms": 1000, "until_us": ..., "units": {...}, "series": {"http_requests": [...]}}: those
// that `names` names, `seconds` back at most. All arrays are equally long and end at until_us; null
// is a second in which nobody looked, or of which there is nothing to say. Fails with ERR_INVALID
// for a name that no series has.
fallible series_page_print(const struct probe *probe, struct buffer *out);

// Which series the parameters want, a bit for each place, and how many seconds of them. Fails with
// ERR_INVALID for a name that no series has.
fallible series_wish_read(const struct params *params, uint64_t *ret_wanted, unsigned *ret_seconds);

// Writes the members of that answer into an object: of the samples of the window the newest
// `count`.
struct series_window;
void series_put(uint64_t wanted, const struct series_window *window, unsigned count,
                struct buffer *out);

#endif
