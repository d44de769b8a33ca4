// probes.h - what the probes answer: is it alive, is it ready, what has it counted.
#ifndef DIORAMA_GATEWAY_REPLY_PROBES_H
#define DIORAMA_GATEWAY_REPLY_PROBES_H

#include "gateway/gateway.h"
#include "proto/base/buffer.h"

void probe_live(const struct gateway_surroundings *around, struct buffer *out);
// Its route asks every actor first and answers an error where one is silent.
void probe_ready(const struct gateway_surroundings *around, struct buffer *out);
// What old clients look for (decisions 7).
void probe_health(const struct gateway_surroundings *around, struct buffer *out);
void probe_metrics(const struct gateway_surroundings *around, struct buffer *out);

#endif
