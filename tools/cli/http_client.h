// http_client.h - requests to the server's HTTP interface, one at a time on one kept connection,
// JSON in and out. The only place with libcurl.
#ifndef DIORAMA_TOOLS_CLI_HTTP_CLIENT_H
#define DIORAMA_TOOLS_CLI_HTTP_CLIENT_H

#include "proto/base/buffer.h"
#include "proto/base/error.h"
#include "proto/json_text.h"

typedef struct http_client http_client_t;

// `base_url` like "http://127.0.0.1:8080", borrowed. Nothing is connected yet.
http_client_t *http_client_create(const char *base_url);
void http_client_destroy(http_client_t **self);

// Writes "/v1/scene/{scene}/{noun}" over `out`, with "/{key}" where `key` is not NULL.
void http_client_path(struct buffer *out, const char *scene, const char *noun, const char *key);

// Sends one request and waits at most 30 s; `body` is JSON, or NULL for none. `ret_answer` is the
// parsed answer, NULL when it is empty, valid until the next call; it may be NULL if unwanted.
// Fails with ERR_UNAVAILABLE (no answer), ERR_MALFORMED (answer is no JSON), or with the error of
// the answer's status, its err_msg in the detail.
fallible http_client_call(http_client_t *self, const char *method, const struct buffer *path,
                          const struct buffer *body, const struct json **ret_answer);

#endif
