// probes.c - the answers of the probes. Any worker thread.
#include "gateway/reply/probes.h"

#include "proto/codec/json_text.h"
#include "proto/message/metrics.h"

void
probe_live(const struct server_facts *facts, const struct asker *asker, struct buffer *out)
{
    (void)asker;
    (void)facts;
    buffer_put_chars(out, "{\"status\":\"live\"}");
}

void
probe_ready(const struct server_facts *facts, const struct asker *asker, struct buffer *out)
{
    (void)asker;
    const char *version = facts->version ? facts->version : "";
    buffer_put_chars(out, "{\"status\":\"ready\",\"version\":");
    json_put_text(out, version, strlen(version));
    buffer_put_char(out, '}');
}

void
probe_health(const struct server_facts *facts, const struct asker *asker, struct buffer *out)
{
    (void)asker;
    (void)facts;
    buffer_put_chars(out, "{\"status\":\"up\"}");
}

void
probe_metrics(const struct server_facts *facts, const struct asker *asker, struct buffer *out)
{
    (void)asker;
    (void)facts;
    metrics_print(out);
}
