// docs_style.h - the style sheet of the page that describes the interface.
#ifndef DIORAMA_GATEWAY_DOCS_DOCS_STYLE_H
#define DIORAMA_GATEWAY_DOCS_DOCS_STYLE_H

#include "gateway/request/route.h"

fallible docs_style_print(const struct probe *probe, struct buffer *out);

#endif
