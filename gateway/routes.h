// routes.h - THE table of routes. What a row says stands in request/route.h.
#ifndef DIORAMA_GATEWAY_ROUTES_H
#define DIORAMA_GATEWAY_ROUTES_H

#include "gateway/request/route.h"

// Rows of one path stand together. Rows with a literal stand before rows with a parameter there.
extern const struct route routes[];
extern const size_t routes_count;

// Pages for browsers are the last rows; those before them are the interface, which is described.
extern const size_t routes_described_count;

#endif
