// server_page.h - what `GET /v1/server` tells about the server.
#ifndef DIORAMA_GATEWAY_REPLY_SERVER_PAGE_H
#define DIORAMA_GATEWAY_REPLY_SERVER_PAGE_H

#include "gateway/request/route.h"

// Version, start, where it listens, its disk, what it holds, limits and budgets; to administrators
// and where nobody logs in also all settings, secrets as ***.
fallible server_page_print(const struct probe *probe, struct buffer *out);

// Writes what of it changes into an object: `disk` and `counts`.
void server_state_put(const struct server_facts *facts, struct buffer *out);

#endif
