// image_type.h - which images of the web a body is, by its first bytes. Pure.
#ifndef DIORAMA_GATEWAY_REQUEST_IMAGE_TYPE_H
#define DIORAMA_GATEWAY_REQUEST_IMAGE_TYPE_H

#include <stddef.h>

// The media type of a PNG or WebP image that begins with these bytes; NULL if it is neither. Equal
// types are one pointer.
const char *image_type_of(const void *bytes, size_t size);

// The same of a Content-Type, whose parameters do not matter.
const char *image_type_named(const char *content_type);

#endif
