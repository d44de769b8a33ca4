// media_sniffer.c - finds the media type of a file. libmagic knows most types by their bytes; if it
// sees only text, an archive or nothing, the end of the name decides among the formats of this
// field.
#include "gateway/request/media_sniffer.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "gateway/http/media_type.h"
#include "gateway/request/magic_pool.h"

static const char unknown[] = "application/octet-stream";

// Formats whose bytes look like a more general one.
static const struct format {
    const char *extension, *media_type;
} formats[] = {
    {"glb", "model/gltf-binary"},
    {"gltf", "model/gltf+json"},
    {"obj", "model/obj"},
    {"mtl", "model/mtl"},
    {"fbx", "model/fbx"},
    {"bvh", "model/bvh"},
    {"stl", "model/stl"},
    {"ply", "model/ply"},
    {"off", "model/off"},
    {"dae", "model/vnd.collada+xml"},
    {"usd", "model/vnd.usd"},
    {"usda", "model/vnd.usda"},
    {"usdz", "model/vnd.usdz+zip"},
    {"x3d", "model/x3d+xml"},
    {"wrl", "model/vrml"},
    {"3mf", "model/3mf"},
    {"3ds", "model/3ds"},
    {"blend", "application/x-blender"},
    {"ktx2", "image/ktx2"},
    {"hdr", "image/vnd.radiance"},
    {"json", "application/json"},
    {"csv", "text/csv"},
    {"css", "text/css"},
    {"js", "text/javascript"},
    {"md", "text/markdown"},
};

// General types of libmagic, which the end of a name may make more exact.
static const char *const general[] = {
    unknown,
    "text/plain",
    "text/xml",
    "application/json",
    "application/zip",
    "text/x-c",
    "text/x-c++",
    "application/xml",
    "application/x-tga",
    "image/x-tga",
    "application/x-wine-extension-ini",
};

static const struct format *
format_of(const char *extension)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcasecmp(formats[i].extension, extension) == 0)
            return &formats[i];
    return NULL;
}

static bool
is_general(const char *media_type)
{
    bool found = false;
    for (size_t i = 0; i < sizeof general / sizeof general[0]; i++)
        found |= strcmp(general[i], media_type) == 0;
    return found;
}

// Asks libmagic; what it does not tell, or not in time, stays unknown.
static void
ask(const void *head, size_t size, bool wants_extension, struct sniffed *ret)
{
    struct magic_answer answer;
    if (!magic_pool_ask(head, size, wants_extension, &answer))
        return;
    if (media_type_is_valid(answer.media_type))
        snprintf(ret->media_type, sizeof ret->media_type, "%s", answer.media_type);
    snprintf(ret->extension, sizeof ret->extension, "%s", answer.extension);
}

void
media_sniff(const void *head, size_t size, const char *extension, struct sniffed *ret)
{
    snprintf(ret->media_type, sizeof ret->media_type, "%s", unknown);
    ret->extension[0] = '\0';
    if (size > 0)
        ask(head, size, !*extension, ret);
    const struct format *format = format_of(extension);
    if (format && is_general(ret->media_type))
        snprintf(ret->media_type, sizeof ret->media_type, "%s", format->media_type);
    for (size_t i = 0; !ret->extension[0] && i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].media_type, ret->media_type) == 0)
            snprintf(ret->extension, sizeof ret->extension, "%s", formats[i].extension);
}
