// probes.c - the answers of the probes. Any worker thread.
#include "gateway/reply/probes.h"

#include "proto/base/clock.h"
#include "proto/codec/json_text.h"
#include "proto/config/config.h"
#include "proto/message/metrics.h"

fallible
probe_live(const struct probe *probe, struct buffer *out)
{
    (void)probe;
    buffer_put_chars(out, "{\"status\":\"live\"}");
    return OK;
}

enum { SECOND_US = 1000000 };

// A follower that is behind is ready all the same: its leader may be away for long, and then it is
// all that there is. Who balances load looks at how old it is.
static void
put_followed(const char *leader, struct buffer *out)
{
    buffer_put_chars(out, ",\"follows\":");
    json_put_text(out, leader, strlen(leader));
    uint64_t now_s = clock_calendar_us() / SECOND_US, reached_s = counter_get(GAUGE_FOLLOW_REACHED);
    buffer_put_format(out, ",\"lag_s\":%llu,\"behind\":%llu",
                      (unsigned long long)(now_s > reached_s ? now_s - reached_s : 0),
                      (unsigned long long)counter_get(GAUGE_FOLLOW_BEHIND));
}

fallible
probe_ready(const struct probe *probe, struct buffer *out)
{
    const char *version = probe->facts->version ? probe->facts->version : "";
    buffer_put_chars(out, "{\"status\":\"ready\",\"version\":");
    json_put_text(out, version, strlen(version));
    if (config_follows(probe->facts->config))
        put_followed(probe->facts->config->follow, out);
    buffer_put_char(out, '}');
    return OK;
}

fallible
probe_health(const struct probe *probe, struct buffer *out)
{
    (void)probe;
    buffer_put_chars(out, "{\"status\":\"up\"}");
    return OK;
}

fallible
probe_metrics(const struct probe *probe, struct buffer *out)
{
    (void)probe;
    metrics_print(out);
    return OK;
}
