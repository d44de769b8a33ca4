// media_type.h - which texts are media types, and which one a file of a page has. Pure.
#ifndef DIORAMA_GATEWAY_HTTP_MEDIA_TYPE_H
#define DIORAMA_GATEWAY_HTTP_MEDIA_TYPE_H

#include <stdbool.h>

// Whether this may stand in a header as a media type: type/subtype and parameters.
bool media_type_is_valid(const char *media_type);

// The media type of a file that the server itself brings, by the end of its name;
// application/octet-stream where that is not known.
const char *media_type_by_name(const char *name);

#endif
