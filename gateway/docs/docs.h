// docs.h - the interface as a page for people, written from the tables of routes, operations,
// records and errors. No script, nothing from elsewhere: a page and its style. Pure.
#ifndef DIORAMA_GATEWAY_DOCS_DOCS_H
#define DIORAMA_GATEWAY_DOCS_DOCS_H

#include "gateway/gateway.h"
#include "proto/base/buffer.h"

void docs_print(const struct gateway_surroundings *around, struct buffer *out);
void docs_print_style(const struct gateway_surroundings *around, struct buffer *out);

#endif
