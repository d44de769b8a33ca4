// html.h - writes text and elements of a page. All text from tables is escaped here. Pure.
#ifndef DIORAMA_GATEWAY_DOCS_HTML_H
#define DIORAMA_GATEWAY_DOCS_HTML_H

#include "proto/base/buffer.h"

// Text, with &, <, > and quotes as entities.
void html_put_text(struct buffer *out, const char *chars);
void html_put_bytes(struct buffer *out, const char *data, size_t size);

// <element class="kind">text</element>; no class if `kind` is NULL.
void html_put(struct buffer *out, const char *element, const char *kind, const char *chars);

// <a href="#target">text</a>
void html_put_link(struct buffer *out, const char *target, const char *chars);

#endif
