// image_type.c - the images that are taken as thumbnails: browsers show both, and both have bytes
// that nothing else begins with (image_type.h). libmagic is not asked: it knows hundreds of types.
#include "gateway/request/image_type.h"

#include <string.h>
#include <strings.h>

static const struct image {
    const char *media_type;
    const char *head; // how it begins
    size_t head_size;
    size_t mark_place; // where its mark is
    const char *mark;  // NULL-terminated
} images[] = {
    // PNG: its signature, then the chunk IHDR, which always has 13 bytes.
    {"image/png", "\x89PNG\r\n\x1a\n\0\0\0\r", 12, 12, "IHDR"},
    // WebP: a RIFF file (its size stands between) of the form WEBP.
    {"image/webp", "RIFF", 4, 8, "WEBP"},
};

enum { IMAGES = sizeof images / sizeof images[0] };

const char *
image_type_of(const void *bytes, size_t size)
{
    for (const struct image *image = images; image < images + IMAGES; image++) {
        size_t mark_size = strlen(image->mark);
        if (size >= image->mark_place + mark_size &&
            memcmp(bytes, image->head, image->head_size) == 0 &&
            memcmp((const char *)bytes + image->mark_place, image->mark, mark_size) == 0)
            return image->media_type;
    }
    return NULL;
}

const char *
image_type_named(const char *content_type)
{
    size_t size = strcspn(content_type, "; \t");
    for (const struct image *image = images; image < images + IMAGES; image++)
        if (size == strlen(image->media_type) &&
            strncasecmp(content_type, image->media_type, size) == 0)
            return image->media_type;
    return NULL;
}
