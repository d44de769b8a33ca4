// media_type.h - which texts are media types. Pure.
#ifndef DIORAMA_GATEWAY_HTTP_MEDIA_TYPE_H
#define DIORAMA_GATEWAY_HTTP_MEDIA_TYPE_H

#include <stdbool.h>

// Whether this may stand in a header as a media type: type/subtype and parameters.
bool media_type_is_valid(const char *media_type);

#endif
