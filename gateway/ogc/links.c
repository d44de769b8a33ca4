// links.c - writes links (links.h).
#include "gateway/ogc/links.h"

#include <string.h>

#include "gateway/http/client_address.h"
#include "gateway/http/percent.h"
#include "proto/codec/json_write.h"

// Appends a part of a URI as a request said it. What no URI has is percent-encoded, so nothing
// needs JSON's escapes.
static void
put_uri(const char *chars, size_t size, struct buffer *out)
{
    for (size_t i = 0; i < size; i++)
        if (chars[i] > ' ' && chars[i] < 127 && !strchr("\"\\<>^`{|}", chars[i]))
            buffer_put_char(out, chars[i]);
        else
            buffer_put_format(out, "%%%02X", (unsigned char)chars[i]);
}

void
link_begin(const struct answer_source *source, const char *rel, const char *media_type,
           struct buffer *out)
{
    const char *host = http_header(source->request, "Host");
    bool is_by_tls = client_address_is_by_tls(source->request, source->facts->proxies);
    json_write_begin(out, NULL, '{');
    json_write_text(out, "rel", rel);
    json_write_text(out, "type", media_type);
    json_write_text_begin(out, "href");
    if (!host)
        return; // HTTP/1.0: relative to this server
    buffer_put_chars(out, is_by_tls ? "https://" : "http://");
    put_uri(host, strlen(host), out);
}

void
link_end(struct buffer *out)
{
    json_write_text_end(out);
    json_write_end(out, '}');
}

void
link_path_objects(const struct text *scene, struct buffer *out)
{
    buffer_put_chars(out, LINKS_OBJECTS);
    percent_encode(out, scene);
}

void
link_put(const struct answer_source *source, const char *rel, const char *media_type,
         const char *path, struct buffer *out)
{
    link_begin(source, rel, media_type, out);
    buffer_put_chars(out, path);
    link_end(out);
}

void
link_put_self(const struct answer_source *source, struct buffer *out)
{
    const struct http_request *request = source->request;
    link_begin(source, "self", source->route->reply.media_type, out);
    put_uri(request->path, strlen(request->path), out);
    if (*request->query)
        buffer_put_char(out, '?');
    put_uri(request->query, strlen(request->query), out);
    link_end(out);
}

// The parameters of the request but for `after`, each with an & behind it.
static void
put_other_parameters(const char *query, struct buffer *out)
{
    for (size_t size; *query; query += size + (query[size] == '&')) {
        size = strcspn(query, "&");
        if (size == 0 || strncmp(query, "after=", 6) == 0)
            continue;
        put_uri(query, size, out);
        buffer_put_char(out, '&');
    }
}

void
link_put_next(const struct answer_source *source, const struct text *after, struct buffer *out)
{
    const struct http_request *request = source->request;
    link_begin(source, "next", source->route->reply.media_type, out);
    put_uri(request->path, strlen(request->path), out);
    buffer_put_char(out, '?');
    put_other_parameters(request->query, out);
    buffer_put_chars(out, "after=");
    percent_encode(out, after);
    link_end(out);
}
