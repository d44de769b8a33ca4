// http.h - one HTTP request as plain data, and the reading of its body. Only http.c, http_answer.c
// and gateway.c know civetweb.
#ifndef DIORAMA_GATEWAY_HTTP_HTTP_H
#define DIORAMA_GATEWAY_HTTP_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/base/arena.h"
#include "proto/base/buffer.h"
#include "proto/base/error.h"

struct mg_connection;

#define HTTP_METHODS(X) X(GET) X(HEAD) X(POST) X(PUT) X(DELETE) X(OPTIONS)

enum http_method {
#define X(name) HTTP_##name,
    HTTP_METHODS(X)
#undef X
        HTTP_METHOD_OTHER
};

enum {
    HTTP_HEADERS_MAX = 64,     // civetweb keeps that many and cuts the rest silently
    HTTP_REQUEST_ID_SIZE = 65, // X-Request-Id and its NUL
    HTTP_ALLOW_SIZE = 64,      // the value of Allow and its NUL
};

struct http_header {
    const char *name;
    const char *value;
};

// Everything borrows from the connection and lasts until the next request on it.
struct http_request {
    enum http_method method;
    int minor;         // of HTTP/1.x
    const char *path;  // as sent, without the query string
    const char *query; // as sent, "" where there is none
    const char *peer;  // numeric address
    unsigned header_count;
    bool body_read;                 // nothing of the body is left on the connection
    uint64_t body_size, body_limit; // how much of it was read; how much may be
    bool is_odd; // a line of its header is no field, or servers could read it differently
    struct http_header headers[HTTP_HEADERS_MAX];
};

const char *http_method_name(enum http_method method);

// The first field called `name`, or NULL.
const char *http_header(const struct http_request *self, const char *name);
unsigned http_header_count(const struct http_request *self, const char *name);

// All fields called `name` as one comma-separated list, in the arena if there are several; NULL if
// there is none.
const char *http_header_list(const struct http_request *self, const char *name,
                             struct arena *arena);

// Whether the request announces a body.
bool http_has_body(const struct http_request *self);

void http_request_take(const struct mg_connection *connection, struct http_request *ret_request);

// Bytes that the body may have: as many as are announced; `limit` if they come in chunks.
uint64_t http_body_expected(const struct http_request *self, uint64_t limit);

// Prepares to read a body of at most `limit` bytes piece by piece; answers 100 to a client that
// waits for it. Fails with ERR_TOO_LARGE if more is announced.
fallible http_body_begin(struct mg_connection *connection, struct http_request *request,
                         uint64_t limit);

// Reads the next `size` bytes; fewer are the end of the body. Fails with ERR_TOO_LARGE beyond the
// limit, with ERR_MALFORMED if the body ends early.
fallible http_body_read(struct mg_connection *connection, struct http_request *request, char *data,
                        size_t size, size_t *ret_size);

// Reads the body over `body`, as http_body_begin and http_body_read do, until it ends or has `size`
// bytes, a multiple of 16 KiB. Another call goes on behind them.
fallible http_body_take(struct mg_connection *connection, struct http_request *request,
                        size_t limit, size_t size, struct buffer *body);

#endif
