// news_log.h - events as words for people: who came and went, what was locked. Pure.
#ifndef DIORAMA_GATEWAY_FOXGLOVE_NEWS_LOG_H
#define DIORAMA_GATEWAY_FOXGLOVE_NEWS_LOG_H

#include "proto/feed/event_batch.h"

enum { NEWS_LOG_LINES = 20 }; // of one tick; then only their number is told

// Appends a line for each event but moves and new values, which have channels of their own.
void news_log_put(const struct event_batch *batch, struct buffer *out);

#endif
