// http_client.h - sends requests to the server's HTTP interface, one at a time on one connection:
// JSON, and files up and down. Only http_client.c knows libcurl.
#ifndef DIORAMA_TOOLS_CLI_HTTP_CLIENT_H
#define DIORAMA_TOOLS_CLI_HTTP_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/base/buffer.h"
#include "proto/base/error.h"
#include "proto/codec/json_text.h"
#include "tools/cli/progress.h"

typedef struct http_client http_client_t;

// `base_url` like "http://127.0.0.1:8080". Nothing is connected yet.
http_client_t *http_client_create(const char *base_url);
void http_client_destroy(http_client_t **self);

// All later requests carry `Authorization: Bearer <token>`; "" ends that.
void http_client_authorize(http_client_t *self, const char *token);
bool http_client_is_authorized(const http_client_t *self);

// Appends `chars` as one segment of a path or one parameter of a query: every character but the
// unreserved ones of RFC 3986 is percent-encoded.
void http_client_escape(struct buffer *out, const char *chars);

// Sends one request and waits at most 30 s; `body` is JSON, or NULL for none. `ret_answer` is the
// parsed answer, NULL if it is empty, valid until the next call. If `ret_answer` is NULL the answer
// may be anything. Fails with ERR_UNAVAILABLE (no answer), ERR_MALFORMED (answer is no JSON), or
// with the error of the answer's status, its err_code and err_msg in the detail.
fallible http_client_call(http_client_t *self, const char *method, const struct buffer *path,
                          const struct buffer *body, const struct json **ret_answer);

// The same for a POST that is done once, however often it is sent: it carries an Idempotency-Key.
// If the answer is lost, or is 503, it is sent again, for some 8 s; not if nothing was ever
// connected.
fallible http_client_post_once(http_client_t *self, const struct buffer *path,
                               const struct buffer *body, const struct json **ret_answer);

// Puts bytes of another media type. Fails as http_client_call does.
fallible http_client_put(http_client_t *self, const struct buffer *path, const char *media_type,
                         const struct buffer *body);

// Takes bytes of an answer, in order. False ends the transfer, which then fails.
typedef bool http_taker(void *context, const char *data, size_t size);

// Gets an answer of this media type part by part, which may take any time while bytes come; `take`
// gets no refusal. Fails as http_client_call does.
fallible http_client_receive(http_client_t *self, const struct buffer *path, const char *media_type,
                             http_taker *take, void *context);

// All later calls of http_client_receive fail as soon as `is_over` says so, which they ask about
// once a second, and when bytes come.
void http_client_end_when(http_client_t *self, bool (*is_over)(void *context), void *context);

// A file as part `file` of a form: the one at `path`, or `bytes` if they are not NULL. A NULL
// `name` is the last segment of the path; a NULL `content_type` is left out.
struct http_upload {
    const char *path;
    const struct buffer *bytes;
    const char *name;
    const char *content_type;
};

// Posts the file, as http_client_post_once does. That may take any time while bytes move. Fails as
// http_client_call does.
fallible http_client_upload(http_client_t *self, const struct buffer *path,
                            const struct http_upload *upload, struct progress *progress);

// A file that is being received. The first `have` bytes are there.
struct http_download {
    int file;        // open for writing
    bool is_pipe;    // cannot seek, so `have` must be 0
    uint64_t have;   // in, and out: the bytes that are there now
    int write_errno; // out: why the file could not be written; 0 = it could
};

// Gets the missing bytes of the file. If the server cannot send a part it sends all, and the file
// begins again. Fails as http_client_call does; bytes received before stay in the file.
fallible http_client_download(http_client_t *self, const struct buffer *path,
                              struct http_download *download, struct progress *progress);

// The unchanged body of the last answer (empty after a download), and the value of a header of it,
// "" if it was not sent. Both are valid until the next request.
const struct buffer *http_client_answer(const http_client_t *self);
const char *http_client_header(http_client_t *self, const char *name);

#endif
