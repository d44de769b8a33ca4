// http.c - a request of civetweb's connection as plain data, and the reading of its body. Worker
// threads.
#include "gateway/http/http.h"

#include <civetweb.h>
#include <stdlib.h>
#include <strings.h>

#include "proto/base/text.h"

enum { BODY_SLICE_BYTES = 16384 };

static const char *const method_names[] = {
#define X(name) #name,
    HTTP_METHODS(X)
#undef X
};

const char *
http_method_name(enum http_method method)
{
    return method < HTTP_METHOD_OTHER ? method_names[method] : "other";
}

static enum http_method
method_from(const char *name)
{
    for (unsigned i = 0; i < HTTP_METHOD_OTHER; i++)
        if (name && strcmp(method_names[i], name) == 0)
            return (enum http_method)i;
    return HTTP_METHOD_OTHER;
}

// Most names differ at once.
static bool
is_name(const struct http_header *field, const char *name)
{
    return ((field->name[0] ^ name[0]) & ~('a' ^ 'A')) == 0 && strcasecmp(field->name, name) == 0;
}

const char *
http_header(const struct http_request *self, const char *name)
{
    for (unsigned i = 0; i < self->header_count; i++)
        if (is_name(&self->headers[i], name))
            return self->headers[i].value;
    return NULL;
}

unsigned
http_header_count(const struct http_request *self, const char *name)
{
    unsigned count = 0;
    for (unsigned i = 0; i < self->header_count; i++)
        count += is_name(&self->headers[i], name);
    return count;
}

const char *
http_header_list(const struct http_request *self, const char *name, struct arena *arena)
{
    const char *list = NULL;
    for (unsigned i = 0; i < self->header_count; i++) {
        const struct http_header *field = &self->headers[i];
        if (!is_name(field, name))
            continue;
        list = list ? text_chars(text_format(arena, "%s, %s", list, field->value)) : field->value;
    }
    return list;
}

bool
http_has_body(const struct http_request *self)
{
    const char *length = http_header(self, "Content-Length");
    return http_header(self, "Transfer-Encoding") || (length && strtoll(length, NULL, 10) != 0);
}

uint64_t
http_body_expected(const struct http_request *self, uint64_t limit)
{
    const char *length = http_header(self, "Content-Length");
    if (!http_has_body(self))
        return 0;
    uint64_t announced = length ? strtoull(length, NULL, 10) : limit;
    return announced < limit ? announced : limit;
}

// civetweb keeps the path of an absolute-form target in local_uri_raw; a request that it could not
// read has neither.
static const char *
path_of(const struct mg_request_info *info)
{
    const char *path = info->local_uri_raw ? info->local_uri_raw : info->request_uri;
    return path ? path : "";
}

// civetweb drops spaces before a colon. It writes NULs over both, in place.
static bool
has_space_before_colon(const struct mg_header *field)
{
    const char *end = field->name + strlen(field->name);
    return field->value > end + 1 && end[1] == '\0';
}

// civetweb skips spaces before the first field. It takes a line that begins with a space, a colon
// or a byte beyond ASCII for the end of the header: all that follows would be lost, Content-Length
// too. The marks that it leaves show this: NULs where a line ended in CR LF, and the CR of the
// empty line.
static bool
is_odd(const struct mg_request_info *info)
{
    if (info->num_headers <= 0)
        return false;
    const char *end = info->http_version + strlen(info->http_version);
    for (int i = 0; i < info->num_headers; i++) {
        const struct mg_header *field = &info->http_headers[i];
        if (field->name != end + 2 || has_space_before_colon(field))
            return true;
        end = field->value + strlen(field->value);
    }
    return end[1] != '\0' || end[2] != '\r';
}

void
http_request_take(const struct mg_connection *connection, struct http_request *ret_request)
{
    const struct mg_request_info *info = mg_get_request_info(connection);
    ret_request->method = method_from(info->request_method);
    ret_request->minor = info->http_version && strcmp(info->http_version, "1.0") == 0 ? 0 : 1;
    ret_request->path = path_of(info);
    ret_request->query = info->query_string ? info->query_string : "";
    ret_request->peer = info->remote_addr;
    ret_request->header_count = info->num_headers < 0 ? 0 : (unsigned)info->num_headers;
    for (unsigned i = 0; i < ret_request->header_count; i++)
        ret_request->headers[i] =
            (struct http_header){info->http_headers[i].name, info->http_headers[i].value};
    ret_request->body_read = !http_has_body(ret_request);
    ret_request->body_size = ret_request->body_limit = 0;
    ret_request->is_odd = is_odd(info);
}

static fallible
body_too_large(const struct http_request *request)
{
    return fail(ERR_TOO_LARGE, "", "the body may have at most %llu bytes",
                (unsigned long long)request->body_limit);
}

// curl and others hold the body back until the server answers 100, or a second has passed.
static void
invite_body(struct mg_connection *connection, const struct http_request *request)
{
    static const char invitation[] = "HTTP/1.1 100 Continue\r\n\r\n";
    const char *expected = http_header(request, "Expect");
    if (request->minor == 1 && expected && strcasecmp(expected, "100-continue") == 0)
        mg_write(connection, invitation, sizeof invitation - 1);
}

fallible
http_body_begin(struct mg_connection *connection, struct http_request *request, uint64_t limit)
{
    long long announced = mg_get_request_info(connection)->content_length; // -1: in chunks
    request->body_limit = limit;
    if (request->body_read)
        return OK;
    if (announced > 0 && (unsigned long long)announced > limit)
        return body_too_large(request);
    invite_body(connection, request);
    return OK;
}

static fallible
end_body(const struct mg_connection *connection, struct http_request *request)
{
    long long announced = mg_get_request_info(connection)->content_length;
    if (announced > 0 && request->body_size < (unsigned long long)announced)
        return fail(ERR_MALFORMED, "", "the body ended before its announced length");
    request->body_read = true;
    return OK;
}

fallible
http_body_read(struct mg_connection *connection, struct http_request *request, char *data,
               size_t size, size_t *ret_size)
{
    *ret_size = 0;
    if (request->body_read)
        return OK;
    // mg_read waits for all the bytes that it was asked for: fewer are the end, or came too late.
    int got = mg_read(connection, data, size);
    if (got < 0)
        return fail(ERR_MALFORMED, "", "the body cannot be read");
    request->body_size += (uint64_t)got;
    if (request->body_size > request->body_limit)
        return body_too_large(request);
    if ((size_t)got < size)
        TRY(end_body(connection, request));
    *ret_size = (size_t)got;
    return OK;
}

fallible
http_body_take(struct mg_connection *connection, struct http_request *request, size_t limit,
               size_t size, struct buffer *body)
{
    if (request->body_size == 0) {
        buffer_clear(body);
        TRY(http_body_begin(connection, request, limit));
    }
    while (!request->body_read && body->size < size) {
        size_t got;
        buffer_reserve(body, BODY_SLICE_BYTES);
        TRY(http_body_read(connection, request, body->data + body->size, BODY_SLICE_BYTES, &got));
        body->size += got;
    }
    return OK;
}
