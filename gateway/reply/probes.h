// probes.h - what the probes answer: whether the server is alive and ready, and what it has
// counted.
#ifndef DIORAMA_GATEWAY_REPLY_PROBES_H
#define DIORAMA_GATEWAY_REPLY_PROBES_H

#include "gateway/request/route.h"

void probe_live(const struct server_facts *facts, const struct asker *asker, struct buffer *out);
// Its route asks every actor first and answers an error if one does not answer.
void probe_ready(const struct server_facts *facts, const struct asker *asker, struct buffer *out);
// The form that old clients expect.
void probe_health(const struct server_facts *facts, const struct asker *asker, struct buffer *out);
void probe_metrics(const struct server_facts *facts, const struct asker *asker, struct buffer *out);

#endif
