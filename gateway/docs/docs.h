// docs.h - the interface as a page for people, written from the tables of routes, operations,
// records and errors. It has a style sheet (docs_style.h) and a script (docs.js), without which it
// is whole too, and loads nothing from other servers. Pure.
#ifndef DIORAMA_GATEWAY_DOCS_DOCS_H
#define DIORAMA_GATEWAY_DOCS_DOCS_H

#include "gateway/request/route.h"

// The whole page; made once.
fallible docs_print(const struct probe *probe, struct buffer *out);

#endif
