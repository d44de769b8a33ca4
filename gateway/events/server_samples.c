// server_samples.c - the events of the server's own stream (server_samples.h).
#include "gateway/events/server_samples.h"

#include "gateway/reply/series_page.h"
#include "gateway/reply/server_page.h"
#include "proto/codec/json_write.h"
#include "proto/message/series.h"
#include "proto/records/params.h"

enum { STEP_US = 1000 * 1000 };

fallible
server_samples_begin(struct server_samples *self, const struct params *params,
                     const struct server_facts *facts)
{
    struct server_samples samples = {.facts = facts};
    TRY(series_wish_read(params, &samples.wanted, &samples.seconds));
    *self = samples;
    return OK;
}

static bool
sees_series(const struct caller *caller)
{
    return caller->role == CALLER_ADMIN || caller->role == CALLER_TRUSTED;
}

// Each second is told once: of the samples the newest that were not told yet.
static void
put_series(struct server_samples *self, uint64_t now_us, struct buffer *page)
{
    struct series_window window;
    uint64_t passed = now_us / STEP_US - self->told_second;
    bool is_first = !self->told_second || passed > LIMIT_SERIES_SECONDS;
    series_window_take(self->wanted, is_first ? self->seconds : (unsigned)passed + 1, &window);
    uint64_t fresh = is_first ? window.count : window.second - self->told_second;
    series_put(self->wanted, &window, fresh < window.count ? (unsigned)fresh : window.count, page);
    self->told_second = window.second;
    series_window_finish(&window);
}

bool
server_samples_write(struct server_samples *self, const struct caller *caller, uint64_t now_us,
                     struct stream_sink *sink)
{
    struct buffer page = {0}; // json_write looks at what stands before
    if (now_us < self->next_us)
        return false;
    self->next_us = now_us + STEP_US;
    json_write_begin(&page, NULL, '{');
    server_state_put(self->facts, &page);
    if (sees_series(caller))
        put_series(self, now_us, &page);
    json_write_end(&page, '}');
    buffer_put_chars(&sink->out, "event: sample\ndata: ");
    buffer_put(&sink->out, page.data, page.size);
    buffer_put_chars(&sink->out, "\n\n");
    buffer_finish(&page);
    return true;
}
