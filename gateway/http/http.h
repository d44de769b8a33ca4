// http.h - one HTTP request and its answer as plain data, and the four things done with a
// connection. civetweb stays behind http.c and gateway.c.
#ifndef DIORAMA_GATEWAY_HTTP_HTTP_H
#define DIORAMA_GATEWAY_HTTP_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/base/buffer.h"
#include "proto/base/error.h"
#include "proto/codec/etag.h"

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
    HTTP_ALLOW_SIZE = 64,
    HTTP_RANGE_SIZE = 72,
    HTTP_HEAD_ROOM = 4096, // kept free before the body, so that head and body are one write
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
    bool is_odd; // some line of its header is no field, or servers could differ over it
    struct http_header headers[HTTP_HEADERS_MAX];
};

// Bytes of a file that are the body of an answer.
struct http_file {
    int descriptor; // -1: none; the answer's
    int socket;     // of the connection, -1 where it is not known
    uint64_t first, size;
};

// Embedded; its buffers are reused by the answers of one worker.
struct http_answer {
    int status;
    const char *media_type; // NULL: no body
    const char *coding;     // of the body, or of what the client has (304); NULL: none
    struct etag etag;       // of the record that it shows; "" = none
    bool is_negotiated;     // other clients may get it in another coding
    bool may_be_kept;       // by the client, who asks with its entity tag whether it is still good
    bool is_immutable;      // what this URI names never changes
    bool has_ranges;        // a part of it may be asked for
    struct buffer body;     // HTTP_HEAD_ROOM bytes, then the body
    struct http_file file;  // in its place
    struct buffer head;
    struct buffer location;    // empty: none
    struct buffer disposition; // how a file is to be kept; empty: none
    char allow[HTTP_ALLOW_SIZE];
    char content_range[HTTP_RANGE_SIZE]; // "0-9/10", "*/10"; "" = none
    unsigned retry_after_s;              // 0: none
    const char *token; // of the session that the client has now, "" = none any more; or NULL
    bool is_by_tls;    // its cookie must stay there
    const char *request_id;
    const char *origin; // a foreign origin that may read the answer, or NULL
    bool is_endless;    // what follows the head is written as it comes; its end ends the connection
    bool close;
};

const char *http_method_name(enum http_method method);

// The first field called `name`, or NULL.
const char *http_header(const struct http_request *self, const char *name);
unsigned http_header_count(const struct http_request *self, const char *name);

// All fields called `name` as one comma-separated list, in the arena where there are several; NULL
// where there is none.
const char *http_header_list(const struct http_request *self, const char *name,
                             struct arena *arena);

// Whether the request announces a body.
bool http_has_body(const struct http_request *self);

void http_request_take(const struct mg_connection *connection, struct http_request *ret_request);

// Prepares to read a body of at most `limit` bytes piece by piece; tells a client that waits for it
// to go on. Fails with ERR_TOO_LARGE where more is announced.
fallible http_body_begin(struct mg_connection *connection, struct http_request *request,
                         uint64_t limit);

// Reads the next `size` bytes; fewer are the end of the body. Fails with ERR_TOO_LARGE beyond the
// limit, with ERR_MALFORMED where the body ends early.
fallible http_body_read(struct mg_connection *connection, struct http_request *request, char *data,
                        size_t size, size_t *ret_size);

// Reads the whole body over `body`; tells a client that waits for it to go on. Fails with
// ERR_TOO_LARGE beyond `limit` bytes, with ERR_MALFORMED where it ends early.
fallible http_body_take(struct mg_connection *connection, struct http_request *request,
                        size_t limit, struct buffer *body);

// Starts over: status 200, nothing else said.
void http_answer_begin(struct http_answer *self);
void http_answer_finish(struct http_answer *self);

// The answer is no file any more; how large that is it still says (416).
void http_answer_drop_file(struct http_answer *self);

// Writes a piece of an endless body; false where the client is gone.
bool http_write(struct mg_connection *connection, const void *data, size_t size);

// Sends head and body in one write. What the request left unread closes the connection.
void http_answer_send(struct mg_connection *connection, const struct http_request *request,
                      struct http_answer *answer);

#endif
