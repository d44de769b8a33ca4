// probes.c - the answers of the probes. Any worker thread.
#include "gateway/reply/probes.h"

#include "proto/message/metrics.h"
#include "proto/codec/json_text.h"

void
probe_live(const struct gateway_surroundings *around, struct buffer *out)
{
    (void)around;
    buffer_put_chars(out, "{\"status\":\"live\"}");
}

void
probe_ready(const struct gateway_surroundings *around, struct buffer *out)
{
    const char *version = around->version ? around->version : "";
    buffer_put_chars(out, "{\"status\":\"ready\",\"version\":");
    json_put_text(out, version, strlen(version));
    buffer_put_char(out, '}');
}

void
probe_health(const struct gateway_surroundings *around, struct buffer *out)
{
    (void)around;
    buffer_put_chars(out, "{\"status\":\"up\"}");
}

void
probe_metrics(const struct gateway_surroundings *around, struct buffer *out)
{
    (void)around;
    metrics_print(out);
}
