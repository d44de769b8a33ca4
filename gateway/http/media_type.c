// media_type.c - which texts are media types (RFC 9110, 8.3.1), and those of files of pages. Pure.
#include "gateway/http/media_type.h"

#include <ctype.h>
#include <string.h>

enum { MEDIA_TYPE_MOST = 255 };

static bool
is_token_char(char byte)
{
    return isalnum((unsigned char)byte) || (byte && strchr("!#$&^_.+-", byte));
}

bool
media_type_is_valid(const char *media_type)
{
    const char *at = media_type;
    while (is_token_char(*at))
        at++;
    if (at == media_type || *at != '/')
        return false;
    const char *subtype = ++at;
    while (is_token_char(*at))
        at++;
    if (at == subtype || (*at && !strchr("; \t", *at)))
        return false;
    while (*at == '\t' || (*at >= ' ' && *at <= '~'))
        at++;
    return *at == '\0' && strlen(media_type) <= MEDIA_TYPE_MOST;
}

const char *
media_type_by_name(const char *name)
{
    // clang-format off
    static const struct {
        const char *ending, *media_type;
    } types[] = {
        {".html", "text/html; charset=utf-8"},
        {".js",   "text/javascript; charset=utf-8"},
        {".css",  "text/css; charset=utf-8"},
        {".json", "application/json"},
        {".map",  "application/json"},
        {".svg",  "image/svg+xml"},
        {".png",  "image/png"},
    };
    // clang-format on
    const char *ending = strrchr(name, '.');
    for (size_t i = 0; ending && i < sizeof types / sizeof types[0]; i++)
        if (strcmp(ending, types[i].ending) == 0)
            return types[i].media_type;
    return "application/octet-stream";
}
