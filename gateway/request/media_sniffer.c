// media_sniffer.c - finds the media type of a file. libmagic knows most types by their bytes; if it
// sees only text, an archive or nothing, the end of the name decides among the formats of this
// field.
//
// libmagic runs on a thread of its own for each file: its recursion follows the depth of the file,
// and a worker's stack is small.
#include "gateway/request/media_sniffer.h"

#include <magic.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "gateway/http/media_type.h"
#include "proto/base/log.h"

enum { STACK_BYTES = 1 << 20 };

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

// libmagic's data, read once; it serves one file at a time.
static struct library {
    pthread_mutex_t lock;
    magic_t types, extensions;
    bool is_tried;
} library = {.lock = PTHREAD_MUTEX_INITIALIZER};

static magic_t
library_load(int flags)
{
    magic_t cookie = magic_open(flags | MAGIC_NO_CHECK_COMPRESS | MAGIC_NO_CHECK_ELF);
    if (cookie && magic_load(cookie, NULL) == 0)
        return cookie;
    log_warning("magic_missing", "reason=%s", cookie ? magic_error(cookie) : "no memory");
    if (cookie)
        magic_close(cookie);
    return NULL;
}

struct question {
    const void *head;
    size_t size;
    struct sniffed *answer;
};

// "jpeg/jpg/jpe": the first one. "???" is libmagic's word for none.
static void
take_extension(const char *found, struct sniffed *ret)
{
    size_t size = found ? strcspn(found, "/") : 0;
    if (size > 0 && found[0] != '?' && size < sizeof ret->extension)
        snprintf(ret->extension, sizeof ret->extension, "%.*s", (int)size, found);
}

static void *
ask_library(void *argument)
{
    const struct question *question = argument;
    const char *found = NULL;
    pthread_mutex_lock(&library.lock);
    if (!library.is_tried) {
        library.is_tried = true;
        library.types = library_load(MAGIC_MIME_TYPE);
        library.extensions = library_load(MAGIC_EXTENSION);
    }
    if (library.types)
        found = magic_buffer(library.types, question->head, question->size);
    if (found && media_type_is_valid(found) && strlen(found) < SNIFF_TYPE_SIZE)
        snprintf(question->answer->media_type, SNIFF_TYPE_SIZE, "%s", found);
    if (library.extensions)
        take_extension(magic_buffer(library.extensions, question->head, question->size),
                       question->answer);
    pthread_mutex_unlock(&library.lock);
    return NULL;
}

static void
ask(const void *head, size_t size, struct sniffed *ret)
{
    struct question question = {head, size, ret};
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (pthread_create(&thread, &attributes, ask_library, &question) == 0)
        pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
}

void
media_sniff(const void *head, size_t size, const char *extension, struct sniffed *ret)
{
    snprintf(ret->media_type, sizeof ret->media_type, "%s", unknown);
    ret->extension[0] = '\0';
    if (size > 0)
        ask(head, size, ret);
    const struct format *format = format_of(extension);
    if (format && is_general(ret->media_type))
        snprintf(ret->media_type, sizeof ret->media_type, "%s", format->media_type);
    for (size_t i = 0; !ret->extension[0] && i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].media_type, ret->media_type) == 0)
            snprintf(ret->extension, sizeof ret->extension, "%s", formats[i].extension);
}
