// probes.h - what the probes answer: whether the server is alive and ready, and what it has
// counted.
#ifndef DIORAMA_GATEWAY_REPLY_PROBES_H
#define DIORAMA_GATEWAY_REPLY_PROBES_H

#include "gateway/request/route.h"

fallible probe_live(const struct probe *probe, struct buffer *out);
// Its route asks every actor first and answers an error if one does not answer.
fallible probe_ready(const struct probe *probe, struct buffer *out);
// The form that old clients expect.
fallible probe_health(const struct probe *probe, struct buffer *out);
fallible probe_metrics(const struct probe *probe, struct buffer *out);

#endif
