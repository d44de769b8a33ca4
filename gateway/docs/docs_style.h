// docs_style.h - the style sheet of the page that describes the interface.
#ifndef DIORAMA_GATEWAY_DOCS_DOCS_STYLE_H
#define DIORAMA_GATEWAY_DOCS_DOCS_STYLE_H

#include "gateway/request/route.h"

void docs_style_print(const struct server_facts *facts, const struct asker *asker,
                      struct buffer *out);

#endif
