// probes.c - the answers of the probes. Any worker thread.
#include "gateway/reply/probes.h"

#include "proto/codec/json_text.h"
#include "proto/message/metrics.h"

fallible
probe_live(const struct probe *probe, struct buffer *out)
{
    (void)probe;
    buffer_put_chars(out, "{\"status\":\"live\"}");
    return OK;
}

fallible
probe_ready(const struct probe *probe, struct buffer *out)
{
    const char *version = probe->facts->version ? probe->facts->version : "";
    buffer_put_chars(out, "{\"status\":\"ready\",\"version\":");
    json_put_text(out, version, strlen(version));
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
